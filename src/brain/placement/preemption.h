#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/cycle.h"
#include "brain/placement/dry_run.h"
#include "brain/placement/ranked_search.h"
#include "brain/placement/reason.h"

namespace loadline::placement {

/// Why a pod may not preempt.
enum class Ineligible : std::uint8_t {
  kNever,           ///< its preemptionPolicy
  kVictimsLeaving,  ///< on the node that it is nominated to, a pod is terminating already
};

/// What preemption found for a pod that fits nowhere.
struct Preemption {
  bool attempted = false;                ///< the search was made
  std::optional<Ineligible> ineligible;  ///< the pod may not preempt
  std::string error;                     ///< dry runs failed, and none found a candidate; or an extender failed
  std::vector<Candidate> candidates;
  std::vector<cluster::NodeId> best;       ///< the candidates that no rule tells apart
  cluster::NodeId node;                    ///< the choice; invalid: preemption does not help
  std::vector<RejectionCount> rejections;  ///< if there is no candidate: why, by rejection
  bool refused_by_extenders = false;       ///< there were candidates, and they would have none

  [[nodiscard]] const Candidate* chosen() const;
  /// The search ended in a way that leaves the pod's earlier nomination as it is.
  [[nodiscard]] bool keeps_nomination() const {
    return ineligible.has_value() || !error.empty() || refused_by_extenders;
  }
};

/// How much of the cluster preemption searches.
enum class Search : std::uint8_t {
  kAsConfigured,  ///< as the policy and the configuration say, see PreemptionCandidates
  kEveryNode,     ///< and the result holds all candidates
  kNone,          ///< nothing: whoever asks looks for victims itself
};

/// Looks for the node where evicting the fewest and least important pods makes room.
///
/// Only nodes whose rejection evictions can resolve are tried, see dry_run(). The candidate of the least EvictionCost
/// is chosen, the first in scan order among equals (upstream: a random one of these). `ranked` is the search that made
/// the attempt, if one did; it may remember earlier dry runs: then all nodes are considered, if the policy lets them
/// be, at the price of those that changed, and the result holds only the best of the remembered candidates. The cluster
/// is unchanged on return. Source: kube-scheduler v1.36, framework/preemption and DefaultPreemption.
Preemption find_preemption(Cycle& cycle, const Profile& profile, const Attempt& attempt,
                           const RejectionTable& rejections, Search search, RankedSearch* ranked = nullptr);

}  // namespace loadline::placement

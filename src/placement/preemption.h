#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "placement/cycle.h"
#include "placement/reason.h"

namespace loadline::placement {

/// A node on which the pod would fit without its victims.
struct Candidate {
  cluster::NodeId node;
  std::vector<cluster::PodId> victims;  ///< most important first
  std::int64_t budget_violations = 0;
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// What preemption found for a pod that fits nowhere.
struct Preemption {
  bool attempted = false;  ///< the search was made
  bool eligible = true;
  std::string why_not;  ///< of an ineligible pod
  std::vector<Candidate> candidates;
  std::vector<cluster::NodeId> best;  ///< the candidates that no rule tells apart
  cluster::NodeId node;               ///< the choice; invalid: preemption does not help
  std::vector<RejectionId> verdicts;  ///< by node: why not there; invalid: not tried
  RejectionId not_helpful;            ///< the verdict of nodes that were not tried

  [[nodiscard]] const Candidate* chosen() const;
};

/// How much of the cluster preemption searches.
enum class Search : std::uint8_t {
  kAsConfigured,  ///< stops after minCandidateNodes candidates, as upstream does
  kEveryNode,
};

/// Looks for the node where evicting the fewest and least important pods makes room.
///
/// Only nodes whose refusal evictions can resolve are tried, each by a dry run: all pods of lower priority leave; if
/// the pod then fits, they are let back one by one, those guarded by an exhausted disruption budget first, the most
/// important first, as long as the pod still fits. Who stays out is a victim. Ranking: fewest budget violations, lowest
/// highest victim priority, smallest sum of victim priorities, fewest victims, latest start of the earliest-started
/// most important victim; then scan order (upstream: a random one of these). The cluster is unchanged on return.
/// Source: kube-scheduler v1.36, framework/preemption and DefaultPreemption.
Preemption find_preemption(Cycle& cycle, const Profile& profile, const Attempt& attempt,
                           const RejectionTable& rejections, Search search);

}  // namespace loadline::placement

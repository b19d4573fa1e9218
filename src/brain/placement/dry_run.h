#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/cycle.h"
#include "brain/placement/reason.h"

namespace loadline::placement {

/// A node on which the pod would fit without its victims.
struct Candidate {
  cluster::NodeId node;
  std::vector<cluster::PodId> victims;  ///< most important first
  std::int64_t budget_violations = 0;
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// What evicting a candidate's victims would cost, in the order in which upstream weighs it: less is better. Source:
/// kube-scheduler v1.36, framework/preemption pickOneNodeForPreemption.
struct EvictionCost {
  std::int64_t budget_violations = 0;
  std::int64_t highest_priority = 0;
  std::int64_t priorities = 0;  ///< sum; every victim weighs at least 1, so that one of priority 1 beats two of 0
  std::int64_t victims = 0;
  std::int64_t running_since = 0;  ///< of the longest-running most important victim, negated: rather the youngest
  friend auto operator<=>(const EvictionCost&, const EvictionCost&) = default;
};
EvictionCost eviction_cost(const cluster::Cluster& cluster, const Candidate& candidate);

/// What preemption could do on one node: a candidate, or the rejection that rules the node out.
struct DryRun {
  std::optional<Candidate> candidate;
  RejectionId rejection;
};

/// All pods of lower priority leave, placeholders of reservations stay; if the cycle's pod then fits, they are let back
/// one by one, those guarded by an exhausted disruption budget first, the most important first, as long as the pod
/// still fits. A pod that stays out is a victim. The cluster is unchanged on return. O(pods on the node) runs of the
/// filters. REQUIRES: the cycle has run PreFilter.
DryRun dry_run(Cycle& cycle, cluster::NodeId node);

}  // namespace loadline::placement

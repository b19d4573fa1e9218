#pragma once

#include "brain/queue/kueue/preemption.h"

namespace loadline::queue::kueue {

/// Victims by fair sharing: of those who borrow most, as long as the preemptor comes off no better than they do.
///
/// Candidates: of the own queue by withinClusterQueue; by reclaimWithinCohort of all queues of the tree that borrow
/// something contested. All shares are with the preemptor's request added to its queue.
///
/// Victims are taken from one queue after another: from the root down, each time to the child with the largest share
/// (queues that borrow nothing, and have no candidates, are left out for good; so are cohorts that borrow nothing, but
/// for the preemptor's own; of equal queues the one whose first candidate leaves first; of equal cohorts the last by
/// name, where Kueue's order is a map's; a cohort before an equal queue). Of that queue:
///  - of its own, or if the preemptor is within nominal quota (gate): the first candidate leaves;
///  - else the first one that the first strategy lets go, by the shares below the lowest common ancestor:
///    LessThanOrEqualToFinalShare: the preemptor's is not above what the victim's side has afterwards;
///    LessThanInitialShare: it is below what that side has now.
/// If that does not suffice, and both strategies are on, those that were passed over are tried once more by the second,
/// one a queue. In the end, those that need not leave stay.
///
/// Cost: O(candidates · (queues + cells) · height).
/// Source: Kueue v0.19.2, pkg/scheduler/preemption/{preemption.go,fairsharing}.
[[nodiscard]] std::vector<Victim> find_fair_victims(Quotas& quotas, const ClusterQueues& queues,
                                                    const Workloads& workloads, const Settings& settings,
                                                    const PreemptionRequest& request);

}  // namespace loadline::queue::kueue

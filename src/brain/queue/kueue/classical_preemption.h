#pragma once

#include "brain/queue/kueue/preemption.h"

namespace loadline::queue::kueue {

/// Victims by priority, and by who is nearer to the quota that is used.
///
/// Candidates are of three kinds:
///  - *own*: of the preemptor's queue, by withinClusterQueue;
///  - *hierarchical*: of other queues, by reclaimWithinCohort, below an ancestor of the queue outside of the smallest
///    subtree whose quota holds the request: it belongs to the preemptor's side. They leave whatever their priority;
///  - *priority*: the rest of other queues. They leave if the preemptor would not borrow; with borrowWithinCohort also
///    if it would, if their priority is lower than the preemptor's and not above the threshold.
/// Only subtrees and queues that use more than their quota of a contested column have candidates. Each kind is sorted
/// (Candidates); they leave in the order: those of the three kinds that are leaving anyway, then the others.
///
/// They are removed one after another until the request fits, skipping whoever's queue, or a cohort of it below the
/// common ancestor, is back within quota; then those that need not leave stay. That is tried once or twice:
///
/// | condition                                                                             | tried          |
/// | nobody of another queue; or no borrowWithinCohort, and a contested column at nominal  | borrowing      |
/// | no borrowWithinCohort, and nobody hierarchical                                        | not, borrowing |
/// | else                                                                                  | borrowing, not |
///
/// Cost: O(candidates · (log candidates + cells · height)).
/// Source: Kueue v0.19.2, pkg/scheduler/preemption/{preemption.go,classical}.
[[nodiscard]] std::vector<Victim> find_classical_victims(Quotas& quotas, const ClusterQueues& queues,
                                                         const Workloads& workloads, const PreemptionRequest& request);

}  // namespace loadline::queue::kueue

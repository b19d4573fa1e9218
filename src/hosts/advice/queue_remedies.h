#pragma once

#include <cstddef>
#include <vector>

#include "hosts/advice/untried_remedy.h"

namespace loadline::advice {

/// What could have a workload start that waits in Kueue's queues: its queue, or the LocalQueue, admits again; another
/// LocalQueue of the namespace; a flavor that its pods do not take; more quota, to own or to borrow, or a cohort to
/// borrow from; a higher WorkloadPriorityClass; a Job with fewer pods at a time. None of them is known to work.
/// Nothing, where no queue decides about the subject. REQUIRES: it is held by its queue.
[[nodiscard]] std::vector<UntriedRemedy> queue_remedies(const simulator::Planning& planning, std::size_t subject,
                                                        const Target& target);

}  // namespace loadline::advice

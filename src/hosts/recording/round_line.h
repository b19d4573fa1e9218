#pragma once

#include <cstdint>

#include "brain/queue/kueue/kueue_scheduler.h"
#include "hosts/recording/line.h"

namespace loadline::recording {

/// The line about what a round of Kueue's queues decided about one workload. REQUIRES: the round is the scheduler's
/// last one, and it has been told of nothing since.
[[nodiscard]] Line round_line(std::int64_t round, const queue::kueue::Decision& decision,
                              const queue::kueue::KueueScheduler& scheduler);

}  // namespace loadline::recording

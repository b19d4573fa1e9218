#pragma once

#include <string>
#include <utility>
#include <vector>

#include "brain/queue/kueue/kueue_scheduler.h"
#include "hosts/scheduler/queues/workload_deed.h"
#include "hosts/watching/caches.h"

namespace loadline::scheduler::queues {

/// "ns/name", as the queues call a workload.
[[nodiscard]] watching::ObjectKey key_of(const queue::kueue::Workload& workload);

/// What follows from a round for Workloads, in the order in which it was decided, with the events that tell of it, in
/// Kueue's words. Workloads whose objects are gone are left out. REQUIRES: the round is the scheduler's last one.
[[nodiscard]] std::vector<std::pair<watching::ObjectKey, WorkloadDeed>> deeds_of(
    const queue::kueue::KueueScheduler& scheduler, const queue::kueue::Round& round, const watching::Caches& caches,
    Instant now);

}  // namespace loadline::scheduler::queues

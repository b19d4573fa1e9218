#pragma once

#include <string>

#include "objects/kube/kueue/workload.h"

namespace loadline::scheduler::queues {

/// All that queues read of a Workload beside its spec, which its generation tells: two versions of one object with
/// equal digests are the same to them.
[[nodiscard]] std::string digest_of(const kube::KueueWorkload& workload);

}  // namespace loadline::scheduler::queues

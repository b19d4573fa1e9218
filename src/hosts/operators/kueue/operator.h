#pragma once

#include "hosts/operators/operator.h"

namespace loadline::operators {

/// The side of Kueue that jobs see: it holds them, makes their Workloads, starts and stops them (job_sync.h, by the
/// rule of management.h), and has the webhooks of all its objects. Queues are the scheduler's part. Switched off, a
/// real Kueue beside the cluster is left alone. Source: kubernetes-sigs/kueue v0.19.2.
[[nodiscard]] Operator kueue_operator();

}  // namespace loadline::operators

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/watching/action.h"
#include "objects/kube/kueue/workload.h"

namespace loadline::operators::kueue {

using WorkloadObject = watching::Observed<kube::KueueWorkload>;

// What a job's controller changes of a Workload, beside what objects/kube/kueue/workload_conditions.h has.
// Source: Kueue v0.19.2, pkg/workload/workload.go, finish/finish.go.

/// Its job is over; it needs no quota any more.
void finish(kube::KueueWorkload& workload, std::string_view reason, std::string message, Instant now);
/// One of the same status and reason stays as it is.
void set_pods_ready(kube::KueueWorkload& workload, bool are_ready, std::string_view reason, std::string_view message,
                    Instant now);
/// So many pods of its sets have ended; never more than a set has.
void set_reclaimable(kube::KueueWorkload& workload, std::vector<kube::ReclaimablePods> pods);

/// Writes what `after` says otherwise of the status, and nothing else, since the queues write there, too. The patch
/// fails if another writer was faster. Nothing: nothing differs.
[[nodiscard]] std::optional<watching::Action> status_patch(const WorkloadObject& before,
                                                           const kube::KueueWorkload& after);
/// Takes away the finalizer that says that its job may still run; nothing: it has none.
[[nodiscard]] std::optional<watching::Action> finalizer_removal(const WorkloadObject& workload);

/// A message as long as an event may have it.
[[nodiscard]] std::string short_event(std::string message);

}  // namespace loadline::operators::kueue

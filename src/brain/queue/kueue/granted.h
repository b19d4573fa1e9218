#pragma once

#include <cstdint>
#include <string_view>

#include "brain/queue/kueue/kueue_scheduler.h"
#include "objects/kube/kueue/workload.h"
#include "objects/kube/scalars.h"

namespace loadline::queue::kueue {

/// An amount of quota as objects write it. Source: Kueue v0.19.2, ResourceQuantity in pkg/resources.
[[nodiscard]] kube::Quantity quantity_of(std::string_view resource, std::int64_t amount);

/// What a workload that has quota was given, as its status says it: of each pod set the flavors, the count, and what of
/// each resource its pods use. REQUIRES: it has quota.
[[nodiscard]] kube::WorkloadAdmission granted(const KueueScheduler& scheduler, WorkloadId workload);

}  // namespace loadline::queue::kueue

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "brain/queue/kueue/kueue_scheduler.h"
#include "objects/kube/kueue/workload.h"

namespace loadline::queue::kueue {

// What rounds decide, as objects say it.

/// An amount of the resource, in the form in which Kueue writes it: CPUs by thousandths, memory with binary suffixes.
/// Source: Kueue v0.19.2, pkg/resources/resource_formatter.go.
[[nodiscard]] kube::Quantity quantity_of(std::string_view resource, std::int64_t amount);

/// status.admission of a workload that is to get its quota so. REQUIRES: all its pod sets were looked at.
[[nodiscard]] kube::WorkloadAdmission admission_by(const KueueScheduler& scheduler, const Decision& decision);
/// The same of one that has just got it. REQUIRES: the decision is the scheduler's, of that kind.
[[nodiscard]] kube::WorkloadAdmission admission_of(const KueueScheduler& scheduler, const Decision& decision);
/// The checks that have to pass before it starts: those of its queue on the flavors that it was given.
[[nodiscard]] std::set<std::string> required_checks(const KueueScheduler& scheduler, const Decision& decision);

}  // namespace loadline::queue::kueue

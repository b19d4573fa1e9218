#pragma once

#include <span>
#include <string>

#include "objects/kube/core/quota.h"
#include "objects/kube/kueue/workload.h"

namespace loadline::queue::kueue {

/// What the LimitRanges of a namespace ask of pods, together: the lowest maximum and the highest minimum of each
/// resource.
struct PodBounds {
  struct Range {
    kube::ResourceList min;
    kube::ResourceList max;
    friend bool operator==(const Range&, const Range&) = default;
  };
  Range container;
  Range pod;
  friend bool operator==(const PodBounds&, const PodBounds&) = default;
};
[[nodiscard]] PodBounds bounds_of(std::span<const kube::LimitRange* const> ranges);

/// Why no API server would take the workload's pods, in Kueue's words: requests above their limits, or, if there are
/// none, requests and limits out of the bounds of LimitRanges. Empty: nothing is wrong with them.
///
/// The pod sets are as Kueue adjusts them (adjusted_pods.h). Amounts are compared as Kueue counts them: CPUs in
/// thousandths, all else in whole units.
/// Source: Kueue v0.19.2, ValidateResources and ValidateLimitRange in pkg/workload/resources.go, pkg/util/limitrange.
[[nodiscard]] std::string pod_problem(const kube::KueueWorkload& workload, const PodBounds& bounds);

}  // namespace loadline::queue::kueue

#pragma once

#include <memory>
#include <span>

#include "objects/kube/core/pod.h"
#include "objects/kube/core/quota.h"
#include "objects/kube/node/runtime_class.h"

namespace loadline::queue::kueue {

/// What the LimitRanges of a namespace fill in for pods, together: of several, the first that says something of a
/// resource.
struct PodDefaults {
  kube::ResourceList container_limits;
  kube::ResourceList container_requests;
  kube::ResourceList pod_limits;  ///< of pods with resources of their own
  kube::ResourceList pod_requests;
};

/// `ranges`: of one namespace, by name.
[[nodiscard]] PodDefaults defaults_of(std::span<const kube::LimitRange* const> ranges);

/// The spec as Kueue counts it: the overhead of its RuntimeClass (null: it is not there), what LimitRanges fill in, and
/// limits in place of requests that are missing. The very same one if nothing of that changes it.
/// Source: Kueue v0.19.2, AdjustResources in pkg/workload/resources.go.
[[nodiscard]] std::shared_ptr<const kube::PodSpec> adjusted(std::shared_ptr<const kube::PodSpec> spec,
                                                            const PodDefaults& defaults,
                                                            const kube::RuntimeClass* runtime_class);

}  // namespace loadline::queue::kueue

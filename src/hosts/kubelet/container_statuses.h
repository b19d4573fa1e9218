#pragma once

#include "foundation/document/value.h"
#include "hosts/kubelet/pod_run.h"
#include "hosts/watching/object.h"
#include "objects/kube/core/pod.h"

namespace loadline::kubelet {

/// The ContainerStatus of the container of that number in the plan. Source: convertToAPIContainerStatuses in
/// pkg/kubelet, v1.36.
document::Value container_status(const watching::Observed<kube::Pod>& pod, const PodPlan& plan, const PodRun& run,
                                 std::size_t container, Instant now);

}  // namespace loadline::kubelet

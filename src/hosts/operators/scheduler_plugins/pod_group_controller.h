#pragma once

#include <memory>
#include <span>

#include "hosts/controllers/controller.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/coscheduling/pod_group.h"

namespace loadline::operators {

/// Follows the pods of a PodGroup (scheduling.x-k8s.io) in its status: Pending until there are as many as it needs,
/// then Scheduling, Running, and Finished or Failed, which are final. Only pods of its own namespace count; the
/// original lists those of all. Its event after 48 hours is left out.
/// Source: kubernetes-sigs/scheduler-plugins, pkg/controllers/podgroup_controller.go.
[[nodiscard]] std::unique_ptr<controllers::Controller> make_pod_group_controller();

/// The status of a group of these pods. `pods`: in order of their names.
[[nodiscard]] kube::CoschedulingStatus status_of(const kube::CoschedulingPodGroup& group,
                                                 std::span<const kube::Pod* const> pods);

}  // namespace loadline::operators

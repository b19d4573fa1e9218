#pragma once

#include <cstdint>
#include <vector>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "hosts/controllers/object.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/ray/ray_cluster.h"

namespace loadline::operators {

using RayPods = std::vector<const controllers::Observed<kube::Pod>*>;

/// Whether there are pods, and all of them run and none says that it is not ready.
[[nodiscard]] bool all_run(const RayPods& pods);

/// The status of the cluster's document as its pods have it now. `lastUpdateTime` is that of the last change, so that
/// a status which says nothing new is not written.
/// Source: kuberay v1.6.2, calculateStatus in ray-operator/controllers/ray/raycluster_controller.go.
[[nodiscard]] document::Value ray_cluster_status(const controllers::Observed<kube::RayCluster>& cluster,
                                                 const RayPods& pods, Instant now);

}  // namespace loadline::operators

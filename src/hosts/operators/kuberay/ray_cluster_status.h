#pragma once

#include <cstdint>
#include <vector>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "hosts/watching/action.h"
#include "hosts/watching/object.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/ray/ray_cluster.h"

namespace loadline::operators {

using RayPods = std::vector<const watching::Observed<kube::Pod>*>;

/// Whether there are pods, and all of them run and none says that it is not ready.
[[nodiscard]] bool all_run(const RayPods& pods);

/// What a look has found that the status tells of.
struct RayLook {
  const RayPods& pods;
  const document::Value& head_service;
  bool is_unsettled = false;                           ///< pods are to go before others can come
  const watching::FailedAction* failed_pod = nullptr;  ///< which could not be made
};

/// The status of the cluster's document as it is now. `lastUpdateTime` is that of the last change that matters, so that
/// a status which says nothing new is not written.
/// Source: kuberay v1.6.2, calculateStatus in ray-operator/controllers/ray/raycluster_controller.go.
[[nodiscard]] document::Value ray_cluster_status(const watching::Observed<kube::RayCluster>& cluster,
                                                 const RayLook& look, Instant now);

}  // namespace loadline::operators

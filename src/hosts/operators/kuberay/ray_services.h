#pragma once

#include <string>
#include <vector>

#include "foundation/document/value.h"
#include "objects/kube/ray/ray_cluster.h"

namespace loadline::operators {

// The objects besides pods that a RayCluster is made into, as documents. `cluster` is its document.
// Sources: common/service.go and common/rbac.go, kuberay v1.6.2.

/// The service by which workers and users find the head: as its author wrote it, or with Ray's ports.
[[nodiscard]] document::Value ray_head_service(const kube::RayCluster& view, const document::Value& cluster);

/// By which hosts of one replica find each other.
[[nodiscard]] document::Value ray_headless_service(const kube::RayCluster& view);
[[nodiscard]] bool needs_headless_service(const kube::RayCluster& view);

/// The service of what the cluster serves. Null: the head offers no port for it.
[[nodiscard]] document::Value ray_serve_service(const kube::RayCluster& view, const document::Value& cluster);
[[nodiscard]] bool needs_serve_service(const kube::RayCluster& view);

/// What the autoscaler may do, and as whom.
[[nodiscard]] document::Value ray_account(const kube::RayCluster& view);
[[nodiscard]] document::Value ray_role(const kube::RayCluster& view);
[[nodiscard]] document::Value ray_role_binding(const kube::RayCluster& view);

}  // namespace loadline::operators

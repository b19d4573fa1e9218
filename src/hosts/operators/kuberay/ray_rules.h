#pragma once

#include <string>

#include "foundation/document/value.h"
#include "objects/kube/ray/ray_cluster.h"

namespace loadline::operators {

/// What is wrong with a RayCluster's name, or with its spec, in KubeRay's words; empty: nothing. It has no webhook: such
/// a cluster is kept, and gets nothing. `cluster` is the cluster's document.
/// Source: ValidateRayClusterMetadata and ValidateRayClusterSpec in utils/validation.go, kuberay v1.6.2.
[[nodiscard]] std::string ray_cluster_name_problem(const kube::RayCluster& view);
[[nodiscard]] std::string ray_cluster_spec_problem(const kube::RayCluster& view, const document::Value& cluster);

}  // namespace loadline::operators

#pragma once

#include <string>
#include <string_view>

#include "foundation/document/value.h"
#include "objects/kube/ray/ray_cluster.h"

namespace loadline::operators {

/// What is wrong with a RayCluster's name, or with its spec, in KubeRay's words; empty: nothing. A cluster with such a
/// spec is kept, and gets nothing. `cluster` is the cluster's document.
/// Source: ValidateRayClusterMetadata and ValidateRayClusterSpec in utils/validation.go, kuberay v1.6.2.
[[nodiscard]] std::string ray_cluster_name_problem(std::string_view name);
[[nodiscard]] std::string ray_cluster_spec_problem(const kube::RayCluster& view, const document::Value& cluster);

/// Why the webhook refuses the cluster; empty: it does not. Source: pkg/webhooks/v1/raycluster_webhook.go, ibidem.
[[nodiscard]] std::string ray_cluster_refusal(const document::Value& cluster);

}  // namespace loadline::operators

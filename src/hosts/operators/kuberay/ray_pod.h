#pragma once

#include <string>
#include <string_view>

#include "foundation/document/value.h"
#include "hosts/operators/kuberay/ray_start.h"
#include "objects/kube/ray/ray_cluster.h"

namespace loadline::operators {

/// Which KubeRay does what this does.
inline constexpr std::string_view kKubeRayVersion = "v1.6.2";

/// The template of a node's pods as KubeRay completes it: how Ray is started in the first container, what it is told,
/// how its health is asked for, and for workers a container that waits for the head. `cluster` is the cluster's
/// document. Labels, annotations and names are workloads::head_draft() and worker_draft().
/// Source: common/pod.go, kuberay v1.6.2.
[[nodiscard]] document::Value ray_pod_template(const kube::RayCluster& view, const document::Value& cluster,
                                               const RayNode& node);

/// What a node of the cluster needs to know of it. `group` lives as long as the node.
[[nodiscard]] RayNode ray_node(const kube::RayCluster& view, bool is_head, const document::Value& group);

/// Names of objects that become names of others: the last 50 characters, and a letter in front.
/// Source: CheckName in utils/util.go, ibidem.
[[nodiscard]] std::string checked_ray_name(std::string_view name);

/// The account that the head runs as: its author's, or one of the cluster's name.
[[nodiscard]] std::string ray_head_account(const kube::RayCluster& cluster);

/// Under which name a fault tolerant head keeps its state.
[[nodiscard]] std::string ray_storage_namespace(const kube::RayCluster& view, const document::Value& cluster);

/// Which kind the cluster was made by: RayCluster (nobody), RayJob, RayService.
[[nodiscard]] std::string_view ray_creator(const kube::RayCluster& cluster);

}  // namespace loadline::operators

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "brain/workloads/pod_draft.h"
#include "objects/kube/core/service.h"
#include "objects/kube/ray/ray_cluster.h"

namespace loadline::workloads {

// The pods of KubeRay's RayClusters: a head `<cluster>-head-<5 characters>`, and for each group so many workers
// `<cluster>-<group>-worker-<5 characters>`, all created at once; workers wait for the head in an init container.
// A replica of several hosts is as many pods, which come and go together. A pod that is over is followed by another.
// Example: a cluster "llm" with a group "gpu" of 2 replicas, 4 hosts each: llm-head-x7k2p, and 8 of llm-gpu-worker-….
// The Ray container is the first of its pod.
// Source: kuberay v1.6.2, ray-operator/controllers/ray/{raycluster_controller,common/pod,common/service,utils/util}.go.

inline constexpr std::string_view kRayHead = "head";
inline constexpr std::string_view kRayWorker = "worker";

/// Whether another controller than KubeRay sees to an object with that spec.managedBy.
[[nodiscard]] bool is_managed_elsewhere(std::string_view managed_by);

/// Why KubeRay makes nothing of the cluster, in its words; empty: it does.
[[nodiscard]] std::string problem_of(const kube::RayClusterSpec& cluster);

/// The replicas that a group should have: what is asked for, within the least and the most; none while it is suspended.
[[nodiscard]] std::int64_t wanted_replicas(const kube::RayWorkerGroup& group);
/// The pods that a group should have.
[[nodiscard]] std::int64_t wanted_workers(const kube::RayWorkerGroup& group);
/// The pods that a group has at least, whatever the autoscaler sets.
[[nodiscard]] std::int64_t least_workers(const kube::RayWorkerGroup& group);

/// Whether the cluster survives its head: what the head must not lose is kept elsewhere.
[[nodiscard]] bool is_fault_tolerant(const kube::RayCluster& cluster);
/// Whether the Ray containers keep the commands that their author wrote.
[[nodiscard]] bool keeps_own_command(const kube::RayCluster& cluster);

/// What the head gets.
[[nodiscard]] PodDraft head_draft(const kube::RayCluster& cluster);

/// What all workers of the group get.
[[nodiscard]] PodDraft worker_draft(const kube::RayCluster& cluster, const kube::RayWorkerGroup& group);

/// One pod of a replica.
struct RayHost {
  std::int64_t replica = 0;  ///< its index in the group
  std::string replica_name;  ///< `<group>-<5 characters>`; of a group with several hosts a replica
  std::int64_t host = 0;
};

/// What that worker gets besides.
[[nodiscard]] PodDraft host_draft(const kube::RayWorkerGroup& group, const RayHost& host);

/// The name by which workers look up the head.
[[nodiscard]] std::string head_service_name(const kube::RayCluster& cluster);

/// The services that select the cluster's pods.
[[nodiscard]] std::vector<kube::Service> services_of(const kube::RayCluster& cluster);

}  // namespace loadline::workloads

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

/// The pod that keeps a Ray cluster together.
struct RayHeadGroup {
  PodTemplateSpec template_;
  StringMap labels;                 ///< of the Ray node, and of its pod
  StringMap start_params;           ///< of `ray start`
  std::string service_type;         ///< empty: the service has no address of its own
  std::string custom_service_name;  ///< of headService; empty: `<cluster>-head-svc`
};

/// Workers that are alike.
struct RayWorkerGroup {
  std::string name;
  std::optional<std::int32_t> replicas;      ///< absent: the minimum
  std::optional<std::int32_t> min_replicas;  ///< absent: 0
  std::optional<std::int32_t> max_replicas;  ///< absent: any number
  std::int32_t hosts_per_replica = 1;
  bool suspend = false;
  StringMap labels;  ///< of the Ray nodes, and of their pods
  std::optional<std::int32_t> idle_timeout_seconds;
  std::vector<std::string> workers_to_delete;  ///< pods that Ray's autoscaler gives up
  PodTemplateSpec template_;
};

/// Ray's own autoscaler, which runs beside the head and sets the replicas of groups.
struct RayAutoscalerOptions {
  std::optional<ResourceRequirements> resources;  ///< absent: KubeRay's
  std::string image;                              ///< empty: the head's
  std::optional<std::int32_t> idle_timeout_seconds;
  std::string upscaling_mode;  ///< Default, Aggressive, Conservative; empty: Default
  std::string version;         ///< v1, v2; empty: as the version of Ray has it
};

struct RayClusterSpec {
  RayHeadGroup head;
  std::vector<RayWorkerGroup> worker_groups;
  bool has_autoscaler = false;
  std::optional<RayAutoscalerOptions> autoscaler;
  bool is_fault_tolerant = false;  ///< gcsFaultToleranceOptions are there
  bool suspend = false;
  std::string managed_by;    ///< empty: KubeRay
  std::string upgrade_type;  ///< Recreate, None; empty: None
  std::string ray_version;
};

struct RayClusterStatus {
  std::string state;  ///< ready, suspended; empty: neither yet
  std::string reason;
  std::vector<MetaCondition> conditions;
  std::int32_t desired_workers = 0;
  std::int32_t available_workers = 0;
  std::int32_t ready_workers = 0;
  std::int32_t min_workers = 0;
  std::int32_t max_workers = 0;
  std::optional<Instant> last_update_time;
  std::int64_t observed_generation = 0;
};

/// KubeRay's RayCluster (ray.io/v1, v1alpha1).
struct RayCluster {
  ObjectMeta metadata;
  RayClusterSpec spec;
  RayClusterStatus status;
};

}  // namespace loadline::kube

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"
#include "objects/kube/ray/ray_cluster.h"

namespace loadline::kube {

struct RayJobSpec {
  std::optional<RayClusterSpec> cluster;
  StringMap cluster_selector;   ///< names a cluster that is there, and none is made
  std::string submission_mode;  ///< K8sJobMode, HTTPMode, InteractiveMode, SidecarMode; empty: K8sJobMode
  std::optional<PodTemplateSpec> submitter_template;
  std::optional<std::int32_t> submitter_backoff_limit;  ///< absent: 2
  bool suspend = false;
  std::string managed_by;   ///< empty: KubeRay
  bool shuts_down = false;  ///< the cluster goes when the job is over
  std::int32_t ttl_seconds_after_finished = 0;
  std::optional<std::int32_t> backoff_limit;
  std::optional<std::int32_t> active_deadline_seconds;
  std::optional<std::int32_t> pre_running_deadline_seconds;
};

struct RayJobStatus {
  std::string job_id;
  std::string cluster_name;       ///< empty: none is chosen
  std::string job_status;         ///< PENDING, RUNNING, STOPPED, SUCCEEDED, FAILED; empty: not submitted
  std::string deployment_status;  ///< Initializing, Running, Complete, Failed, ValidationFailed, Suspending, …
  std::string reason;
  std::string message;
  std::optional<Instant> start_time;
  std::optional<Instant> end_time;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
};

/// KubeRay's RayJob (ray.io/v1, v1alpha1).
struct RayJob {
  ObjectMeta metadata;
  RayJobSpec spec;
  RayJobStatus status;
};

struct RayCronJobSpec {
  std::string schedule;
  bool suspend = false;
  RayJobSpec job;
};

/// KubeRay's RayCronJob (ray.io/v1).
struct RayCronJob {
  ObjectMeta metadata;
  RayCronJobSpec spec;
  std::optional<Instant> last_schedule_time;
};

}  // namespace loadline::kube

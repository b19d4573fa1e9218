#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/meta.h"
#include "objects/kube/volcano/pod_group.h"

namespace loadline::kube {

/// Which tasks have to run before this one gets its pods.
struct VolcanoDependency {
  std::vector<std::string> tasks;
  std::string iteration;  ///< any: one of them is enough
};

/// Pods of a task that belong closer together.
struct VolcanoPartitions {
  std::int32_t count = 0;  ///< totalPartitions
  std::int32_t size = 0;
  std::int32_t least = 0;  ///< minPartitions
  std::optional<VolcanoNetworkTopology> topology;
};

/// Pods of a Job that are alike.
struct VolcanoTask {
  std::string name;  ///< empty: Volcano's webhook calls it "default" and its place
  std::int32_t replicas = 0;
  std::optional<std::int32_t> min_available;  ///< absent: all
  PodTemplateSpec template_;
  bool names_scheduler = false;  ///< the template does; else its pods have the Job's
  std::string topology_policy;   ///< of NUMA nodes
  std::optional<VolcanoDependency> depends_on;
  std::optional<VolcanoPartitions> partitions;
};

/// A volume that all pods of a Job have.
struct VolcanoVolume {
  std::string mount_path;
  std::string claim_name;  ///< empty: of a claim that Volcano makes
  std::optional<PersistentVolumeClaimSpec> claim;
};

struct VolcanoCondition {
  std::string status;  ///< a phase
  std::optional<Instant> last_transition_time;
};

/// Of the pods of a task, by phase.
struct VolcanoTaskCounts {
  std::map<std::string, std::int32_t, std::less<>> phases;

  friend bool operator==(const VolcanoTaskCounts&, const VolcanoTaskCounts&) = default;
};

struct VolcanoJobStatus {
  std::string phase;  ///< Pending, Running, Completed, Failed, …; empty: not begun
  std::optional<Instant> last_transition_time;
  std::int32_t min_available = 0;
  std::map<std::string, VolcanoTaskCounts, std::less<>> tasks;
  std::int32_t pending = 0;  ///< pods, as are the next five
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::int32_t terminating = 0;
  std::int32_t unknown = 0;
  std::int32_t version = 0;
  std::int32_t retry_count = 0;
  std::vector<VolcanoCondition> conditions;
};

/// Volcano's Job (batch.volcano.sh/v1alpha1). What its webhook fills in is there where a manifest was read.
struct VolcanoJob {
  ObjectMeta metadata;
  std::string scheduler_name;      ///< of pods whose template names none; empty: volcano
  std::int32_t min_available = 0;  ///< pods that start together; 0: as many as the tasks say
  std::vector<VolcanoTask> tasks;
  std::vector<VolcanoVolume> volumes;
  std::map<std::string, std::vector<std::string>, std::less<>> plugins;
  std::string queue;  ///< empty: default
  std::string priority_class_name;
  std::optional<VolcanoNetworkTopology> topology;
  std::optional<std::int32_t> min_success;
  std::optional<Duration> running_estimate;  ///< so long it runs, as its user expects
  std::optional<std::int32_t> ttl_seconds_after_finished;
  VolcanoJobStatus status;
};

/// What Volcano's webhook fills in: names of tasks, what is available at least, the scheduler of templates that name
/// none, the queue. Idempotent. Source: volcano.sh/volcano v1.15.1, pkg/webhooks/admission/jobs/mutate.
void set_defaults(VolcanoJob& job);

}  // namespace loadline::kube

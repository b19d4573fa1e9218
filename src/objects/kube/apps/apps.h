#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objects/kube/core/pod.h"
#include "objects/kube/core/replica_status.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

struct DeploymentStatus {
  std::int64_t observed_generation = 0;
  std::int32_t replicas = 0;
  std::int32_t updated_replicas = 0;
  std::int32_t ready_replicas = 0;
  std::int32_t available_replicas = 0;
  std::int32_t unavailable_replicas = 0;
  std::optional<std::int32_t> terminating_replicas;
  std::optional<std::int32_t> collision_count;
  std::vector<WorkloadCondition> conditions;

  friend bool operator==(const DeploymentStatus&, const DeploymentStatus&) = default;
};

struct Deployment {
  ObjectMeta metadata;
  std::int32_t replicas = 1;
  std::optional<LabelSelector> selector;
  PodTemplateSpec template_;
  bool paused = false;
  bool recreate = false;  ///< strategy.type Recreate
  std::optional<IntOrString> max_surge;
  std::optional<IntOrString> max_unavailable;
  std::int32_t min_ready_seconds = 0;
  std::optional<std::int32_t> revision_history_limit;
  std::optional<std::int32_t> progress_deadline_seconds;
  DeploymentStatus status;
};

struct ReplicaSet {
  ObjectMeta metadata;
  std::int32_t replicas = 1;
  std::optional<LabelSelector> selector;
  PodTemplateSpec template_;
  std::int32_t min_ready_seconds = 0;
  ReplicaSetStatus status;
};

struct StatefulSetStatus {
  std::int64_t observed_generation = 0;
  std::int32_t replicas = 0;
  std::int32_t ready_replicas = 0;
  std::int32_t current_replicas = 0;
  std::int32_t updated_replicas = 0;
  std::int32_t available_replicas = 0;
  std::string current_revision;
  std::string update_revision;
  std::optional<std::int32_t> collision_count;
  std::vector<WorkloadCondition> conditions;

  friend bool operator==(const StatefulSetStatus&, const StatefulSetStatus&) = default;
};

struct StatefulSet {
  ObjectMeta metadata;
  std::int32_t replicas = 1;
  std::optional<LabelSelector> selector;
  PodTemplateSpec template_;
  std::string service_name;
  bool parallel = false;  ///< podManagementPolicy Parallel
  std::int32_t ordinals_start = 0;
  std::vector<PersistentVolumeClaimTemplate> volume_claim_templates;
  std::int32_t min_ready_seconds = 0;
  std::optional<std::int32_t> revision_history_limit;
  std::string update_strategy;            ///< RollingUpdate, OnDelete
  std::optional<std::int32_t> partition;  ///< ordinals below keep their revision
  std::optional<IntOrString> max_unavailable;
  std::string claims_when_deleted;  ///< Retain, Delete; empty: Retain
  std::string claims_when_scaled;
  StatefulSetStatus status;
};

struct DaemonSetStatus {
  std::int64_t observed_generation = 0;
  std::int32_t current_number_scheduled = 0;
  std::int32_t number_misscheduled = 0;
  std::int32_t desired_number_scheduled = 0;
  std::int32_t number_ready = 0;
  std::int32_t updated_number_scheduled = 0;
  std::int32_t number_available = 0;
  std::int32_t number_unavailable = 0;
  std::optional<std::int32_t> collision_count;
  std::vector<WorkloadCondition> conditions;

  friend bool operator==(const DaemonSetStatus&, const DaemonSetStatus&) = default;
};

struct DaemonSet {
  ObjectMeta metadata;
  std::optional<LabelSelector> selector;
  PodTemplateSpec template_;
  std::int32_t min_ready_seconds = 0;
  std::optional<std::int32_t> revision_history_limit;
  std::string update_strategy;  ///< RollingUpdate, OnDelete
  std::optional<IntOrString> max_surge;
  std::optional<IntOrString> max_unavailable;
  DaemonSetStatus status;
};

}  // namespace loadline::kube

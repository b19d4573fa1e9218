#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kube/core/pod.h"
#include "kube/meta.h"

namespace loadline::kube {

struct Deployment {
  ObjectMeta metadata;
  std::int32_t replicas = 1;
  std::optional<LabelSelector> selector;
  PodTemplateSpec template_;
  bool paused = false;
  bool recreate = false;  ///< strategy.type Recreate
  std::optional<IntOrString> max_surge;
  std::optional<IntOrString> max_unavailable;
};

struct ReplicaSet {
  ObjectMeta metadata;
  std::int32_t replicas = 1;
  std::optional<LabelSelector> selector;
  PodTemplateSpec template_;
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
};

struct DaemonSet {
  ObjectMeta metadata;
  std::optional<LabelSelector> selector;
  PodTemplateSpec template_;
};

}  // namespace loadline::kube

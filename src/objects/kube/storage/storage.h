#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

enum class VolumeBindingMode : std::uint8_t { kImmediate, kWaitForFirstConsumer };

struct StorageClass {
  ObjectMeta metadata;
  std::string provisioner;
  VolumeBindingMode volume_binding_mode = VolumeBindingMode::kImmediate;
  /// allowedTopologies: each term's matchLabelExpressions, as `key In values`.
  std::vector<NodeSelectorTerm> allowed_topologies;
};

struct CsiNodeDriver {
  std::string name;
  std::string node_id;
  std::vector<std::string> topology_keys;
  std::optional<std::int32_t> allocatable_count;
};

struct CsiNode {
  ObjectMeta metadata;
  std::vector<CsiNodeDriver> drivers;
};

struct CsiDriver {
  ObjectMeta metadata;
  bool storage_capacity = false;
  std::optional<bool> attach_required;
  bool prevent_pod_scheduling_if_missing = false;
};

struct CsiStorageCapacity {
  ObjectMeta metadata;
  std::optional<LabelSelector> node_topology;
  std::string storage_class_name;
  std::optional<Quantity> capacity;
  std::optional<Quantity> maximum_volume_size;
};

struct VolumeAttachment {
  ObjectMeta metadata;
  std::string attacher;
  std::string node_name;
  std::string persistent_volume_name;
};

}  // namespace loadline::kube

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

struct ObjectReference {
  std::string kind;
  std::string namespace_;
  std::string name;
  std::string uid;
};

struct PersistentVolume {
  ObjectMeta metadata;
  ResourceList capacity;
  std::vector<AccessMode> access_modes;
  std::string storage_class_name;
  VolumeMode volume_mode = VolumeMode::kFilesystem;
  std::optional<ObjectReference> claim_ref;
  std::optional<NodeSelector> node_affinity;  ///< nodeAffinity.required
  std::string volume_attributes_class_name;
  std::string phase;       ///< Pending, Available, Bound, Released, Failed
  std::string csi_driver;  ///< empty: not a CSI volume
  std::string csi_volume_handle;
  std::string in_tree_plugin;  ///< "awsElasticBlockStore", "gcePersistentDisk", … or empty
  std::string in_tree_volume_id;
  std::string in_tree_disk_kind;  ///< of an azureDisk: "Shared", "Dedicated" or "Managed"
};

struct PersistentVolumeClaim {
  ObjectMeta metadata;
  PersistentVolumeClaimSpec spec;
  std::string phase;  ///< Pending, Bound, Lost
  ResourceList status_capacity;
};

}  // namespace loadline::kube

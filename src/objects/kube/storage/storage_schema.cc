#include "objects/kube/storage/storage_schema.h"

#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/core/volume_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr std::string_view kStorageReclaimPolicyNames[] = {"Delete", "Retain"};
constexpr Enumeration kStorageReclaimPolicy{kStorageReclaimPolicyNames};

static std::string text_of(const document::Value* value) {
  return value != nullptr && value->is_string() ? value->string() : std::string();
}

static void read_allowed_topologies(Decoder&, const document::Value& value, const Path&, StorageClass& storage_class) {
  for (const document::Value& term : value.array()) {
    NodeSelectorTerm& out = storage_class.allowed_topologies.emplace_back();
    const document::Value* expressions = term.find("matchLabelExpressions");
    if (expressions == nullptr || !expressions->is_array()) continue;
    for (const document::Value& expression : expressions->array()) {
      NodeSelectorRequirement& requirement = out.match_expressions.emplace_back();
      requirement.key = text_of(expression.find("key"));
      const document::Value* values = expression.find("values");
      if (values == nullptr || !values->is_array()) continue;
      for (const document::Value& item : values->array()) requirement.values.push_back(text_of(&item));
    }
  }
}

constexpr Field kStorageClassFields[] = {
    field<&StorageClass::metadata>("metadata", kObjectMetaSchema),
    custom<read_allowed_topologies>("allowedTopologies"),
    field<&StorageClass::provisioner>("provisioner"),
    enumerated("reclaimPolicy", kStorageReclaimPolicy),
    field<&StorageClass::volume_binding_mode>("volumeBindingMode"),
};
constinit const Schema kStorageClassSchema{"io.k8s.api.storage.v1.StorageClass", kStorageClassFields};

constexpr Field kVolumeNodeResourcesFields[] = {
    field<&CsiNodeDriver::allocatable_count>("count"),
};
constexpr Schema kVolumeNodeResourcesSchema{"io.k8s.api.storage.v1.VolumeNodeResources", kVolumeNodeResourcesFields};

constexpr Field kCsiNodeDriverFields[] = {
    part("allocatable", kVolumeNodeResourcesSchema),
    field<&CsiNodeDriver::name>("name"),
    field<&CsiNodeDriver::node_id>("nodeID"),
    field<&CsiNodeDriver::topology_keys>("topologyKeys"),
};
constexpr Schema kCsiNodeDriverSchema{"io.k8s.api.storage.v1.CSINodeDriver", kCsiNodeDriverFields};

constexpr Field kCsiNodeSpecFields[] = {
    field<&CsiNode::drivers>("drivers", kCsiNodeDriverSchema),
};
constexpr Schema kCsiNodeSpecSchema{"io.k8s.api.storage.v1.CSINodeSpec", kCsiNodeSpecFields};

constexpr Field kCsiNodeFields[] = {
    field<&CsiNode::metadata>("metadata", kObjectMetaSchema),
    part("spec", kCsiNodeSpecSchema),
};
constinit const Schema kCsiNodeSchema{"io.k8s.api.storage.v1.CSINode", kCsiNodeFields};

constexpr Field kCsiDriverSpecFields[] = {
    field<&CsiDriver::attach_required>("attachRequired"),
    field<&CsiDriver::prevent_pod_scheduling_if_missing>("preventPodSchedulingIfMissing"),
    field<&CsiDriver::storage_capacity>("storageCapacity"),
};
constexpr Schema kCsiDriverSpecSchema{"io.k8s.api.storage.v1.CSIDriverSpec", kCsiDriverSpecFields};

constexpr Field kCsiDriverFields[] = {
    field<&CsiDriver::metadata>("metadata", kObjectMetaSchema),
    part("spec", kCsiDriverSpecSchema),
};
constinit const Schema kCsiDriverSchema{"io.k8s.api.storage.v1.CSIDriver", kCsiDriverFields};

constexpr Field kCsiStorageCapacityFields[] = {
    field<&CsiStorageCapacity::metadata>("metadata", kObjectMetaSchema),
    field<&CsiStorageCapacity::capacity>("capacity"),
    field<&CsiStorageCapacity::maximum_volume_size>("maximumVolumeSize"),
    field<&CsiStorageCapacity::node_topology>("nodeTopology", kLabelSelectorSchema),
    field<&CsiStorageCapacity::storage_class_name>("storageClassName"),
};
constinit const Schema kCsiStorageCapacitySchema{"io.k8s.api.storage.v1.CSIStorageCapacity", kCsiStorageCapacityFields};

constexpr Field kVolumeAttachmentSourceFields[] = {
    within("inlineVolumeSpec", kPersistentVolumeSpecSchema),
    field<&VolumeAttachment::persistent_volume_name>("persistentVolumeName"),
};
constexpr Schema kVolumeAttachmentSourceSchema{"io.k8s.api.storage.v1.VolumeAttachmentSource",
                                               kVolumeAttachmentSourceFields};

constexpr Field kVolumeAttachmentSpecFields[] = {
    field<&VolumeAttachment::attacher>("attacher"),
    field<&VolumeAttachment::node_name>("nodeName"),
    part("source", kVolumeAttachmentSourceSchema),
};
constexpr Schema kVolumeAttachmentSpecSchema{"io.k8s.api.storage.v1.VolumeAttachmentSpec", kVolumeAttachmentSpecFields};

constexpr Field kVolumeAttachmentFields[] = {
    field<&VolumeAttachment::metadata>("metadata", kObjectMetaSchema),
    part("spec", kVolumeAttachmentSpecSchema),
};
constinit const Schema kVolumeAttachmentSchema{"io.k8s.api.storage.v1.VolumeAttachment", kVolumeAttachmentFields};

}  // namespace loadline::kube

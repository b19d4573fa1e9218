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
    known("apiVersion", kString),
    known("kind", kString),
    field<&StorageClass::metadata>("metadata", object(kObjectMetaSchema)),
    known("allowVolumeExpansion", kBoolean),
    custom<read_allowed_topologies>("allowedTopologies", list_of(object(kTopologySelectorTermSchema))),
    known("mountOptions", list_of(kString)),
    known("parameters", map_of(kString)),
    field<&StorageClass::provisioner>("provisioner").required(),
    known("reclaimPolicy", one_of(kStorageReclaimPolicy)),
    field<&StorageClass::volume_binding_mode>("volumeBindingMode"),
};
constinit const Schema kStorageClassSchema{"StorageClass", kStorageClassFields};

constexpr Field kVolumeNodeResourcesFields[] = {
    field<&CsiNodeDriver::allocatable_count>("count"),
};
constexpr Schema kVolumeNodeResourcesSchema{"VolumeNodeResources", kVolumeNodeResourcesFields};

constexpr Field kCsiNodeDriverFields[] = {
    part("allocatable", kVolumeNodeResourcesSchema),
    field<&CsiNodeDriver::name>("name").required(),
    field<&CsiNodeDriver::node_id>("nodeID").required(),
    field<&CsiNodeDriver::topology_keys>("topologyKeys"),
};
constexpr Schema kCsiNodeDriverSchema{"CSINodeDriver", kCsiNodeDriverFields};

constexpr Field kCsiNodeSpecFields[] = {
    field<&CsiNode::drivers>("drivers", list_of(object(kCsiNodeDriverSchema))).required(),
};
constexpr Schema kCsiNodeSpecSchema{"CSINodeSpec", kCsiNodeSpecFields};

constexpr Field kCsiNodeFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&CsiNode::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kCsiNodeSpecSchema).required(),
};
constinit const Schema kCsiNodeSchema{"CSINode", kCsiNodeFields};

constexpr Field kTokenRequestFields[] = {
    known("audience", kString).required(),
    known("expirationSeconds", kInt64),
};
constexpr Schema kTokenRequestSchema{"TokenRequest", kTokenRequestFields};

constexpr Field kCsiDriverSpecFields[] = {
    field<&CsiDriver::attach_required>("attachRequired"),
    known("fsGroupPolicy", kString),
    known("nodeAllocatableUpdatePeriodSeconds", kInt64),
    known("podInfoOnMount", kBoolean),
    field<&CsiDriver::prevent_pod_scheduling_if_missing>("preventPodSchedulingIfMissing"),
    known("requiresRepublish", kBoolean),
    known("seLinuxMount", kBoolean),
    known("serviceAccountTokenInSecrets", kBoolean),
    field<&CsiDriver::storage_capacity>("storageCapacity"),
    known("tokenRequests", list_of(object(kTokenRequestSchema))),
    known("volumeLifecycleModes", list_of(kString)),
};
constexpr Schema kCsiDriverSpecSchema{"CSIDriverSpec", kCsiDriverSpecFields};

constexpr Field kCsiDriverFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&CsiDriver::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kCsiDriverSpecSchema).required(),
};
constinit const Schema kCsiDriverSchema{"CSIDriver", kCsiDriverFields};

constexpr Field kCsiStorageCapacityFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&CsiStorageCapacity::metadata>("metadata", object(kObjectMetaSchema)),
    field<&CsiStorageCapacity::capacity>("capacity"),
    field<&CsiStorageCapacity::maximum_volume_size>("maximumVolumeSize"),
    field<&CsiStorageCapacity::node_topology>("nodeTopology", object(kLabelSelectorSchema)),
    field<&CsiStorageCapacity::storage_class_name>("storageClassName").required(),
};
constinit const Schema kCsiStorageCapacitySchema{"CSIStorageCapacity", kCsiStorageCapacityFields};

constexpr Field kVolumeAttachmentSourceFields[] = {
    known("inlineVolumeSpec", object(kPersistentVolumeSpecSchema)),
    field<&VolumeAttachment::persistent_volume_name>("persistentVolumeName"),
};
constexpr Schema kVolumeAttachmentSourceSchema{"VolumeAttachmentSource", kVolumeAttachmentSourceFields};

constexpr Field kVolumeAttachmentSpecFields[] = {
    field<&VolumeAttachment::attacher>("attacher").required(),
    field<&VolumeAttachment::node_name>("nodeName").required(),
    part("source", kVolumeAttachmentSourceSchema).required(),
};
constexpr Schema kVolumeAttachmentSpecSchema{"VolumeAttachmentSpec", kVolumeAttachmentSpecFields};

constexpr Field kVolumeErrorFields[] = {
    known("errorCode", kInt32),
    known("message", kString),
    known("time", kTime),
};
constexpr Schema kVolumeErrorSchema{"VolumeError", kVolumeErrorFields};

constexpr Field kVolumeAttachmentStatusFields[] = {
    known("attachError", object(kVolumeErrorSchema)),
    known("attached", kBoolean).required(),
    known("attachmentMetadata", map_of(kString)),
    known("detachError", object(kVolumeErrorSchema)),
};
constexpr Schema kVolumeAttachmentStatusSchema{"VolumeAttachmentStatus", kVolumeAttachmentStatusFields};

constexpr Field kVolumeAttachmentFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&VolumeAttachment::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kVolumeAttachmentSpecSchema).required(),
    known("status", object(kVolumeAttachmentStatusSchema)),
};
constinit const Schema kVolumeAttachmentSchema{"VolumeAttachment", kVolumeAttachmentFields};

}  // namespace loadline::kube

#include "objects/kube/core/volume_schema.h"

#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/core/volume_source_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr std::string_view kReclaimPolicyNames[] = {"Delete", "Recycle", "Retain"};
constexpr Enumeration kReclaimPolicy{kReclaimPolicyNames};

constexpr Field kVolumeResourceRequirementsFields[] = {
    field<&PersistentVolumeClaimSpec::limits>("limits"),
    field<&PersistentVolumeClaimSpec::requests>("requests"),
};
constexpr Schema kVolumeResourceRequirementsSchema{"io.k8s.api.core.v1.VolumeResourceRequirements",
                                                   kVolumeResourceRequirementsFields};

constexpr Field kPersistentVolumeClaimSpecFields[] = {
    field<&PersistentVolumeClaimSpec::access_modes>("accessModes"),
    part("resources", kVolumeResourceRequirementsSchema),
    field<&PersistentVolumeClaimSpec::selector>("selector", kLabelSelectorSchema),
    field<&PersistentVolumeClaimSpec::storage_class_name>("storageClassName"),
    field<&PersistentVolumeClaimSpec::volume_attributes_class_name>("volumeAttributesClassName"),
    field<&PersistentVolumeClaimSpec::volume_mode>("volumeMode"),
    field<&PersistentVolumeClaimSpec::volume_name>("volumeName"),
};
constinit const Schema kPersistentVolumeClaimSpecSchema{"io.k8s.api.core.v1.PersistentVolumeClaimSpec",
                                                        kPersistentVolumeClaimSpecFields};

constexpr Field kPersistentVolumeClaimTemplateFields[] = {
    field<&PersistentVolumeClaimTemplate::metadata>("metadata", kObjectMetaSchema),
    field<&PersistentVolumeClaimTemplate::spec>("spec", kPersistentVolumeClaimSpecSchema),
};
constinit const Schema kPersistentVolumeClaimTemplateSchema{"io.k8s.api.core.v1.PersistentVolumeClaimTemplate",
                                                            kPersistentVolumeClaimTemplateFields};

constexpr Field kPersistentVolumeClaimStatusFields[] = {
    field<&PersistentVolumeClaim::status_capacity>("capacity"),
    field<&PersistentVolumeClaim::phase>("phase"),
};
constinit const Schema kPersistentVolumeClaimStatusSchema{"io.k8s.api.core.v1.PersistentVolumeClaimStatus",
                                                          kPersistentVolumeClaimStatusFields};

constexpr Field kPersistentVolumeClaimFields[] = {
    field<&PersistentVolumeClaim::metadata>("metadata", kObjectMetaSchema),
    field<&PersistentVolumeClaim::spec>("spec", kPersistentVolumeClaimSpecSchema),
    part("status", kPersistentVolumeClaimStatusSchema),
};
constinit const Schema kPersistentVolumeClaimSchema{"io.k8s.api.core.v1.PersistentVolumeClaim",
                                                    kPersistentVolumeClaimFields};

constexpr Field kObjectReferenceFields[] = {
    field<&ObjectReference::kind>("kind"),
    field<&ObjectReference::name>("name"),
    field<&ObjectReference::namespace_>("namespace"),
    field<&ObjectReference::uid>("uid"),
};
constinit const Schema kObjectReferenceSchema{"io.k8s.api.core.v1.ObjectReference", kObjectReferenceFields};

constexpr Field kCsiPersistentVolumeSourceFields[] = {
    field<&PersistentVolume::csi_driver>("driver"),
    field<&PersistentVolume::csi_volume_handle>("volumeHandle"),
};
constexpr Schema kCsiPersistentVolumeSourceSchema{"io.k8s.api.core.v1.CSIPersistentVolumeSource",
                                                  kCsiPersistentVolumeSourceFields};

constexpr Field kVolumeNodeAffinityFields[] = {
    field<&PersistentVolume::node_affinity>("required", kNodeSelectorSchema),
};
constexpr Schema kVolumeNodeAffinitySchema{"io.k8s.api.core.v1.VolumeNodeAffinity", kVolumeNodeAffinityFields};

static void read_in_tree_volume(Decoder&, const document::Value& value, const Path& path, PersistentVolume& volume) {
  constexpr std::string_view kIdFields[] = {"volumeID", "pdName", "diskURI", "volumePath", "shareName"};
  volume.in_tree_plugin = path.name();
  for (const std::string_view field_name : kIdFields) {
    const document::Value* id = value.find(field_name);
    if (id != nullptr && id->is_string()) volume.in_tree_volume_id = id->string();
  }
}

static void read_azure_disk(Decoder& decoder, const document::Value& value, const Path& path,
                            PersistentVolume& volume) {
  read_in_tree_volume(decoder, value, path, volume);
  const document::Value* kind = value.find("kind");
  volume.in_tree_disk_kind = kind != nullptr && kind->is_string() ? kind->string() : AzureDiskVolumeSource().kind;
}

constexpr Field kPersistentVolumeSpecFields[] = {
    field<&PersistentVolume::access_modes>("accessModes"),
    custom<read_in_tree_volume>("awsElasticBlockStore", kAwsElasticBlockStoreVolumeSourceSchema),
    custom<read_azure_disk>("azureDisk", kAzureDiskVolumeSourceSchema),
    custom<read_in_tree_volume>("azureFile"),
    field<&PersistentVolume::capacity>("capacity"),
    custom<read_in_tree_volume>("cinder"),
    field<&PersistentVolume::claim_ref>("claimRef", kObjectReferenceSchema),
    part("csi", kCsiPersistentVolumeSourceSchema),
    custom<read_in_tree_volume>("gcePersistentDisk", kGcePersistentDiskVolumeSourceSchema),
    part("nodeAffinity", kVolumeNodeAffinitySchema),
    enumerated("persistentVolumeReclaimPolicy", kReclaimPolicy),
    custom<read_in_tree_volume>("portworxVolume", kPortworxVolumeSourceSchema),
    field<&PersistentVolume::storage_class_name>("storageClassName"),
    field<&PersistentVolume::volume_attributes_class_name>("volumeAttributesClassName"),
    field<&PersistentVolume::volume_mode>("volumeMode"),
    custom<read_in_tree_volume>("vsphereVolume"),
};
constinit const Schema kPersistentVolumeSpecSchema{"io.k8s.api.core.v1.PersistentVolumeSpec",
                                                   kPersistentVolumeSpecFields};

constexpr Field kPersistentVolumeStatusFields[] = {
    field<&PersistentVolume::phase>("phase"),
};
constexpr Schema kPersistentVolumeStatusSchema{"io.k8s.api.core.v1.PersistentVolumeStatus",
                                               kPersistentVolumeStatusFields};

constexpr Field kPersistentVolumeFields[] = {
    field<&PersistentVolume::metadata>("metadata", kObjectMetaSchema),
    part("spec", kPersistentVolumeSpecSchema),
    part("status", kPersistentVolumeStatusSchema),
};
constinit const Schema kPersistentVolumeSchema{"io.k8s.api.core.v1.PersistentVolume", kPersistentVolumeFields};

}  // namespace loadline::kube

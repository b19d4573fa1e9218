#include "objects/kube/core/volume_schema.h"

#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/core/volume_source_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr std::string_view kReclaimPolicyNames[] = {"Delete", "Recycle", "Retain"};
constexpr Enumeration kReclaimPolicy{kReclaimPolicyNames};

constexpr Field kTypedLocalObjectReferenceFields[] = {
    known("kind", kString).required(),
    known("apiGroup", kString),
    known("name", kString).required(),
};
constexpr Schema kTypedLocalObjectReferenceSchema{"TypedLocalObjectReference", kTypedLocalObjectReferenceFields};

constexpr Field kTypedObjectReferenceFields[] = {
    known("kind", kString).required(),
    known("apiGroup", kString),
    known("name", kString).required(),
    known("namespace", kString),
};
constexpr Schema kTypedObjectReferenceSchema{"TypedObjectReference", kTypedObjectReferenceFields};

constexpr Field kVolumeResourceRequirementsFields[] = {
    field<&PersistentVolumeClaimSpec::limits>("limits"),
    field<&PersistentVolumeClaimSpec::requests>("requests"),
};
constexpr Schema kVolumeResourceRequirementsSchema{"VolumeResourceRequirements", kVolumeResourceRequirementsFields};

constexpr Field kPersistentVolumeClaimSpecFields[] = {
    field<&PersistentVolumeClaimSpec::access_modes>("accessModes"),
    known("dataSource", object(kTypedLocalObjectReferenceSchema)),
    known("dataSourceRef", object(kTypedObjectReferenceSchema)),
    part("resources", kVolumeResourceRequirementsSchema),
    field<&PersistentVolumeClaimSpec::selector>("selector", object(kLabelSelectorSchema)),
    field<&PersistentVolumeClaimSpec::storage_class_name>("storageClassName"),
    field<&PersistentVolumeClaimSpec::volume_attributes_class_name>("volumeAttributesClassName"),
    field<&PersistentVolumeClaimSpec::volume_mode>("volumeMode"),
    field<&PersistentVolumeClaimSpec::volume_name>("volumeName"),
};
constinit const Schema kPersistentVolumeClaimSpecSchema{"PersistentVolumeClaimSpec", kPersistentVolumeClaimSpecFields};

constexpr Field kPersistentVolumeClaimTemplateFields[] = {
    field<&PersistentVolumeClaimTemplate::metadata>("metadata", object(kObjectMetaSchema)),
    field<&PersistentVolumeClaimTemplate::spec>("spec", object(kPersistentVolumeClaimSpecSchema)).required(),
};
constinit const Schema kPersistentVolumeClaimTemplateSchema{"PersistentVolumeClaimTemplate",
                                                            kPersistentVolumeClaimTemplateFields};

constexpr Field kPersistentVolumeClaimConditionFields[] = {
    known("lastProbeTime", kTime), known("lastTransitionTime", kTime),  known("message", kString),
    known("reason", kString),      known("status", kString).required(), known("type", kString).required(),
};
constexpr Schema kPersistentVolumeClaimConditionSchema{"PersistentVolumeClaimCondition",
                                                       kPersistentVolumeClaimConditionFields};

constexpr Field kModifyVolumeStatusFields[] = {
    known("status", kString).required(),
    known("targetVolumeAttributesClassName", kString),
};
constexpr Schema kModifyVolumeStatusSchema{"ModifyVolumeStatus", kModifyVolumeStatusFields};

constexpr Field kPersistentVolumeClaimStatusFields[] = {
    known("accessModes", list_of(kString)),
    known("allocatedResourceStatuses", map_of(kString)),
    known("allocatedResources", map_of(kQuantity)),
    field<&PersistentVolumeClaim::status_capacity>("capacity"),
    known("conditions", list_of(object(kPersistentVolumeClaimConditionSchema))),
    known("currentVolumeAttributesClassName", kString),
    known("modifyVolumeStatus", object(kModifyVolumeStatusSchema)),
    field<&PersistentVolumeClaim::phase>("phase"),
};
constinit const Schema kPersistentVolumeClaimStatusSchema{"PersistentVolumeClaimStatus",
                                                          kPersistentVolumeClaimStatusFields};

constexpr Field kPersistentVolumeClaimFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&PersistentVolumeClaim::metadata>("metadata", object(kObjectMetaSchema)),
    field<&PersistentVolumeClaim::spec>("spec", object(kPersistentVolumeClaimSpecSchema)),
    part("status", kPersistentVolumeClaimStatusSchema),
};
constinit const Schema kPersistentVolumeClaimSchema{"PersistentVolumeClaim", kPersistentVolumeClaimFields};

constexpr Field kObjectReferenceFields[] = {
    known("apiVersion", kString),
    field<&ObjectReference::kind>("kind"),
    known("fieldPath", kString),
    field<&ObjectReference::name>("name"),
    field<&ObjectReference::namespace_>("namespace"),
    known("resourceVersion", kString),
    field<&ObjectReference::uid>("uid"),
};
constinit const Schema kObjectReferenceSchema{"ObjectReference", kObjectReferenceFields};

constexpr Field kAzureFilePersistentVolumeSourceFields[] = {
    known("readOnly", kBoolean),
    known("secretName", kString).required(),
    known("secretNamespace", kString),
    known("shareName", kString).required(),
};
constexpr Schema kAzureFilePersistentVolumeSourceSchema{"AzureFilePersistentVolumeSource",
                                                        kAzureFilePersistentVolumeSourceFields};

constexpr Field kSecretReferenceFields[] = {
    known("name", kString),
    known("namespace", kString),
};
constexpr Schema kSecretReferenceSchema{"SecretReference", kSecretReferenceFields};

constexpr Field kCephFsPersistentVolumeSourceFields[] = {
    known("monitors", list_of(kString)).required(),
    known("path", kString),
    known("readOnly", kBoolean),
    known("secretFile", kString),
    known("secretRef", object(kSecretReferenceSchema)),
    known("user", kString),
};
constexpr Schema kCephFsPersistentVolumeSourceSchema{"CephFSPersistentVolumeSource",
                                                     kCephFsPersistentVolumeSourceFields};

constexpr Field kCinderPersistentVolumeSourceFields[] = {
    known("fsType", kString),
    known("readOnly", kBoolean),
    known("secretRef", object(kSecretReferenceSchema)),
    known("volumeID", kString).required(),
};
constexpr Schema kCinderPersistentVolumeSourceSchema{"CinderPersistentVolumeSource",
                                                     kCinderPersistentVolumeSourceFields};

constexpr Field kCsiPersistentVolumeSourceFields[] = {
    known("controllerExpandSecretRef", object(kSecretReferenceSchema)),
    known("controllerPublishSecretRef", object(kSecretReferenceSchema)),
    field<&PersistentVolume::csi_driver>("driver").required(),
    known("fsType", kString),
    known("nodeExpandSecretRef", object(kSecretReferenceSchema)),
    known("nodePublishSecretRef", object(kSecretReferenceSchema)),
    known("nodeStageSecretRef", object(kSecretReferenceSchema)),
    known("readOnly", kBoolean),
    known("volumeAttributes", map_of(kString)),
    field<&PersistentVolume::csi_volume_handle>("volumeHandle").required(),
};
constexpr Schema kCsiPersistentVolumeSourceSchema{"CSIPersistentVolumeSource", kCsiPersistentVolumeSourceFields};

constexpr Field kFlexPersistentVolumeSourceFields[] = {
    known("driver", kString).required(),
    known("fsType", kString),
    known("options", map_of(kString)),
    known("readOnly", kBoolean),
    known("secretRef", object(kSecretReferenceSchema)),
};
constexpr Schema kFlexPersistentVolumeSourceSchema{"FlexPersistentVolumeSource", kFlexPersistentVolumeSourceFields};

constexpr Field kGlusterfsPersistentVolumeSourceFields[] = {
    known("endpoints", kString).required(),
    known("endpointsNamespace", kString),
    known("path", kString).required(),
    known("readOnly", kBoolean),
};
constexpr Schema kGlusterfsPersistentVolumeSourceSchema{"GlusterfsPersistentVolumeSource",
                                                        kGlusterfsPersistentVolumeSourceFields};

constexpr Field kISCsiPersistentVolumeSourceFields[] = {
    known("chapAuthDiscovery", kBoolean),
    known("chapAuthSession", kBoolean),
    known("fsType", kString),
    known("initiatorName", kString),
    known("iqn", kString).required(),
    known("iscsiInterface", kString),
    known("lun", kInt32).required(),
    known("portals", list_of(kString)),
    known("readOnly", kBoolean),
    known("secretRef", object(kSecretReferenceSchema)),
    known("targetPortal", kString).required(),
};
constexpr Schema kISCsiPersistentVolumeSourceSchema{"ISCSIPersistentVolumeSource", kISCsiPersistentVolumeSourceFields};

constexpr Field kLocalVolumeSourceFields[] = {
    known("fsType", kString),
    known("path", kString).required(),
};
constexpr Schema kLocalVolumeSourceSchema{"LocalVolumeSource", kLocalVolumeSourceFields};

constexpr Field kVolumeNodeAffinityFields[] = {
    field<&PersistentVolume::node_affinity>("required", object(kNodeSelectorSchema)),
};
constexpr Schema kVolumeNodeAffinitySchema{"VolumeNodeAffinity", kVolumeNodeAffinityFields};

constexpr Field kRbdPersistentVolumeSourceFields[] = {
    known("fsType", kString),
    known("image", kString).required(),
    known("keyring", kString),
    known("monitors", list_of(kString)).required(),
    known("pool", kString),
    known("readOnly", kBoolean),
    known("secretRef", object(kSecretReferenceSchema)),
    known("user", kString),
};
constexpr Schema kRbdPersistentVolumeSourceSchema{"RBDPersistentVolumeSource", kRbdPersistentVolumeSourceFields};

constexpr Field kScaleIoPersistentVolumeSourceFields[] = {
    known("fsType", kString),
    known("gateway", kString).required(),
    known("protectionDomain", kString),
    known("readOnly", kBoolean),
    known("secretRef", object(kSecretReferenceSchema)).required(),
    known("sslEnabled", kBoolean),
    known("storageMode", kString),
    known("storagePool", kString),
    known("system", kString).required(),
    known("volumeName", kString),
};
constexpr Schema kScaleIoPersistentVolumeSourceSchema{"ScaleIOPersistentVolumeSource",
                                                      kScaleIoPersistentVolumeSourceFields};

constexpr Field kStorageOsPersistentVolumeSourceFields[] = {
    known("fsType", kString),     known("readOnly", kBoolean),       known("secretRef", object(kObjectReferenceSchema)),
    known("volumeName", kString), known("volumeNamespace", kString),
};
constexpr Schema kStorageOsPersistentVolumeSourceSchema{"StorageOSPersistentVolumeSource",
                                                        kStorageOsPersistentVolumeSourceFields};

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
    custom<read_in_tree_volume>("awsElasticBlockStore", object(kAwsElasticBlockStoreVolumeSourceSchema)),
    custom<read_azure_disk>("azureDisk", object(kAzureDiskVolumeSourceSchema)),
    custom<read_in_tree_volume>("azureFile", object(kAzureFilePersistentVolumeSourceSchema)),
    field<&PersistentVolume::capacity>("capacity"),
    known("cephfs", object(kCephFsPersistentVolumeSourceSchema)),
    custom<read_in_tree_volume>("cinder", object(kCinderPersistentVolumeSourceSchema)),
    field<&PersistentVolume::claim_ref>("claimRef", object(kObjectReferenceSchema)),
    part("csi", kCsiPersistentVolumeSourceSchema),
    known("fc", object(kFcVolumeSourceSchema)),
    known("flexVolume", object(kFlexPersistentVolumeSourceSchema)),
    known("flocker", object(kFlockerVolumeSourceSchema)),
    custom<read_in_tree_volume>("gcePersistentDisk", object(kGcePersistentDiskVolumeSourceSchema)),
    known("glusterfs", object(kGlusterfsPersistentVolumeSourceSchema)),
    known("hostPath", object(kHostPathVolumeSourceSchema)),
    known("iscsi", object(kISCsiPersistentVolumeSourceSchema)),
    known("local", object(kLocalVolumeSourceSchema)),
    known("mountOptions", list_of(kString)),
    known("nfs", object(kNfsVolumeSourceSchema)),
    part("nodeAffinity", kVolumeNodeAffinitySchema),
    known("persistentVolumeReclaimPolicy", one_of(kReclaimPolicy)),
    known("photonPersistentDisk", object(kPhotonPersistentDiskVolumeSourceSchema)),
    custom<read_in_tree_volume>("portworxVolume", object(kPortworxVolumeSourceSchema)),
    known("quobyte", object(kQuobyteVolumeSourceSchema)),
    known("rbd", object(kRbdPersistentVolumeSourceSchema)),
    known("scaleIO", object(kScaleIoPersistentVolumeSourceSchema)),
    field<&PersistentVolume::storage_class_name>("storageClassName"),
    known("storageos", object(kStorageOsPersistentVolumeSourceSchema)),
    field<&PersistentVolume::volume_attributes_class_name>("volumeAttributesClassName"),
    field<&PersistentVolume::volume_mode>("volumeMode"),
    custom<read_in_tree_volume>("vsphereVolume", object(kVsphereVirtualDiskVolumeSourceSchema)),
};
constinit const Schema kPersistentVolumeSpecSchema{"PersistentVolumeSpec", kPersistentVolumeSpecFields};

constexpr Field kPersistentVolumeStatusFields[] = {
    known("lastPhaseTransitionTime", kTime),
    known("message", kString),
    field<&PersistentVolume::phase>("phase"),
    known("reason", kString),
};
constexpr Schema kPersistentVolumeStatusSchema{"PersistentVolumeStatus", kPersistentVolumeStatusFields};

constexpr Field kPersistentVolumeFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&PersistentVolume::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kPersistentVolumeSpecSchema),
    part("status", kPersistentVolumeStatusSchema),
};
constinit const Schema kPersistentVolumeSchema{"PersistentVolume", kPersistentVolumeFields};

}  // namespace loadline::kube

#include "objects/kube/core/volume_source_schema.h"

#include "objects/kube/core/container_schema.h"
#include "objects/kube/core/volume_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr Field kLocalObjectReferenceFields[] = {
    known("name", kString),
};
constinit const Schema kLocalObjectReferenceSchema{"LocalObjectReference", kLocalObjectReferenceFields};

constexpr Field kAwsElasticBlockStoreVolumeSourceFields[] = {
    known("fsType", kString),
    known("partition", kInt32),
    field<&DiskVolumeSource::read_only>("readOnly"),
    field<&DiskVolumeSource::id>("volumeID").required(),
};
constinit const Schema kAwsElasticBlockStoreVolumeSourceSchema{"AWSElasticBlockStoreVolumeSource",
                                                               kAwsElasticBlockStoreVolumeSourceFields};

constexpr Field kAzureDiskVolumeSourceFields[] = {
    field<&AzureDiskVolumeSource::kind>("kind"),
    known("cachingMode", kString),
    field<&AzureDiskVolumeSource::disk_name>("diskName").required(),
    field<&AzureDiskVolumeSource::disk_uri>("diskURI").required(),
    known("fsType", kString),
    field<&AzureDiskVolumeSource::read_only>("readOnly"),
};
constinit const Schema kAzureDiskVolumeSourceSchema{"AzureDiskVolumeSource", kAzureDiskVolumeSourceFields};

constexpr Field kAzureFileVolumeSourceFields[] = {
    known("readOnly", kBoolean),
    known("secretName", kString).required(),
    known("shareName", kString).required(),
};
constexpr Schema kAzureFileVolumeSourceSchema{"AzureFileVolumeSource", kAzureFileVolumeSourceFields};

constexpr Field kCephFsVolumeSourceFields[] = {
    known("monitors", list_of(kString)).required(),
    known("path", kString),
    known("readOnly", kBoolean),
    known("secretFile", kString),
    known("secretRef", object(kLocalObjectReferenceSchema)),
    known("user", kString),
};
constexpr Schema kCephFsVolumeSourceSchema{"CephFSVolumeSource", kCephFsVolumeSourceFields};

constexpr Field kCinderVolumeSourceFields[] = {
    known("fsType", kString),
    field<&DiskVolumeSource::read_only>("readOnly"),
    known("secretRef", object(kLocalObjectReferenceSchema)),
    field<&DiskVolumeSource::id>("volumeID").required(),
};
constexpr Schema kCinderVolumeSourceSchema{"CinderVolumeSource", kCinderVolumeSourceFields};

constexpr Field kKeyToPathFields[] = {
    known("key", kString).required(),
    known("mode", kInt32),
    known("path", kString).required(),
};
constexpr Schema kKeyToPathSchema{"KeyToPath", kKeyToPathFields};

constexpr Field kConfigMapVolumeSourceFields[] = {
    known("defaultMode", kInt32),
    known("items", list_of(object(kKeyToPathSchema))),
    known("name", kString),
    known("optional", kBoolean),
};
constexpr Schema kConfigMapVolumeSourceSchema{"ConfigMapVolumeSource", kConfigMapVolumeSourceFields};

constexpr Field kCsiVolumeSourceFields[] = {
    field<&CsiVolumeSource::driver>("driver").required(),
    known("fsType", kString),
    known("nodePublishSecretRef", object(kLocalObjectReferenceSchema)),
    known("readOnly", kBoolean),
    known("volumeAttributes", map_of(kString)),
};
constexpr Schema kCsiVolumeSourceSchema{"CSIVolumeSource", kCsiVolumeSourceFields};

constexpr Field kDownwardApiVolumeFileFields[] = {
    known("fieldRef", object(kObjectFieldSelectorSchema)),
    known("mode", kInt32),
    known("path", kString).required(),
    known("resourceFieldRef", object(kResourceFieldSelectorSchema)),
};
constexpr Schema kDownwardApiVolumeFileSchema{"DownwardAPIVolumeFile", kDownwardApiVolumeFileFields};

constexpr Field kDownwardApiVolumeSourceFields[] = {
    known("defaultMode", kInt32),
    known("items", list_of(object(kDownwardApiVolumeFileSchema))),
};
constexpr Schema kDownwardApiVolumeSourceSchema{"DownwardAPIVolumeSource", kDownwardApiVolumeSourceFields};

constexpr Field kEmptyDirVolumeSourceFields[] = {
    known("medium", kString),
    known("sizeLimit", kQuantity),
};
constexpr Schema kEmptyDirVolumeSourceSchema{"EmptyDirVolumeSource", kEmptyDirVolumeSourceFields};

constexpr Field kEphemeralVolumeSourceFields[] = {
    field<&Volume::ephemeral_claim>("volumeClaimTemplate", object(kPersistentVolumeClaimTemplateSchema)),
};
constexpr Schema kEphemeralVolumeSourceSchema{"EphemeralVolumeSource", kEphemeralVolumeSourceFields};

constexpr Field kFcVolumeSourceFields[] = {
    known("fsType", kString),         known("lun", kInt32),
    known("readOnly", kBoolean),      known("targetWWNs", list_of(kString)),
    known("wwids", list_of(kString)),
};
constinit const Schema kFcVolumeSourceSchema{"FCVolumeSource", kFcVolumeSourceFields};

constexpr Field kFlexVolumeSourceFields[] = {
    known("driver", kString).required(),
    known("fsType", kString),
    known("options", map_of(kString)),
    known("readOnly", kBoolean),
    known("secretRef", object(kLocalObjectReferenceSchema)),
};
constexpr Schema kFlexVolumeSourceSchema{"FlexVolumeSource", kFlexVolumeSourceFields};

constexpr Field kFlockerVolumeSourceFields[] = {
    known("datasetName", kString),
    known("datasetUUID", kString),
};
constinit const Schema kFlockerVolumeSourceSchema{"FlockerVolumeSource", kFlockerVolumeSourceFields};

constexpr Field kGcePersistentDiskVolumeSourceFields[] = {
    known("fsType", kString),
    known("partition", kInt32),
    field<&DiskVolumeSource::id>("pdName").required(),
    field<&DiskVolumeSource::read_only>("readOnly"),
};
constinit const Schema kGcePersistentDiskVolumeSourceSchema{"GCEPersistentDiskVolumeSource",
                                                            kGcePersistentDiskVolumeSourceFields};

constexpr Field kGitRepoVolumeSourceFields[] = {
    known("directory", kString),
    known("repository", kString).required(),
    known("revision", kString),
};
constexpr Schema kGitRepoVolumeSourceSchema{"GitRepoVolumeSource", kGitRepoVolumeSourceFields};

constexpr Field kGlusterfsVolumeSourceFields[] = {
    known("endpoints", kString).required(),
    known("path", kString).required(),
    known("readOnly", kBoolean),
};
constexpr Schema kGlusterfsVolumeSourceSchema{"GlusterfsVolumeSource", kGlusterfsVolumeSourceFields};

constexpr Field kHostPathVolumeSourceFields[] = {
    known("path", kString).required(),
    known("type", kString),
};
constinit const Schema kHostPathVolumeSourceSchema{"HostPathVolumeSource", kHostPathVolumeSourceFields};

constexpr Field kImageVolumeSourceFields[] = {
    known("pullPolicy", kString),
    field<&Volume::image_reference>("reference"),
};
constexpr Schema kImageVolumeSourceSchema{"ImageVolumeSource", kImageVolumeSourceFields};

constexpr Field kISCsiVolumeSourceFields[] = {
    known("chapAuthDiscovery", kBoolean),
    known("chapAuthSession", kBoolean),
    known("fsType", kString),
    known("initiatorName", kString),
    field<&IscsiVolumeSource::iqn>("iqn").required(),
    known("iscsiInterface", kString),
    field<&IscsiVolumeSource::lun>("lun").required(),
    known("portals", list_of(kString)),
    field<&IscsiVolumeSource::read_only>("readOnly"),
    known("secretRef", object(kLocalObjectReferenceSchema)),
    field<&IscsiVolumeSource::target_portal>("targetPortal").required(),
};
constexpr Schema kISCsiVolumeSourceSchema{"ISCSIVolumeSource", kISCsiVolumeSourceFields};

constexpr Field kNfsVolumeSourceFields[] = {
    known("path", kString).required(),
    known("readOnly", kBoolean),
    known("server", kString).required(),
};
constinit const Schema kNfsVolumeSourceSchema{"NFSVolumeSource", kNfsVolumeSourceFields};

constexpr Field kPersistentVolumeClaimVolumeSourceFields[] = {
    field<&PersistentVolumeClaimVolumeSource::claim_name>("claimName").required(),
    field<&PersistentVolumeClaimVolumeSource::read_only>("readOnly"),
};
constexpr Schema kPersistentVolumeClaimVolumeSourceSchema{"PersistentVolumeClaimVolumeSource",
                                                          kPersistentVolumeClaimVolumeSourceFields};

constexpr Field kPhotonPersistentDiskVolumeSourceFields[] = {
    known("fsType", kString),
    known("pdID", kString).required(),
};
constinit const Schema kPhotonPersistentDiskVolumeSourceSchema{"PhotonPersistentDiskVolumeSource",
                                                               kPhotonPersistentDiskVolumeSourceFields};

constexpr Field kPortworxVolumeSourceFields[] = {
    known("fsType", kString),
    field<&DiskVolumeSource::read_only>("readOnly"),
    field<&DiskVolumeSource::id>("volumeID").required(),
};
constinit const Schema kPortworxVolumeSourceSchema{"PortworxVolumeSource", kPortworxVolumeSourceFields};

constexpr Field kClusterTrustBundleProjectionFields[] = {
    known("labelSelector", object(kLabelSelectorSchema)),
    known("name", kString),
    known("optional", kBoolean),
    known("path", kString).required(),
    known("signerName", kString),
};
constexpr Schema kClusterTrustBundleProjectionSchema{"ClusterTrustBundleProjection",
                                                     kClusterTrustBundleProjectionFields};

constexpr Field kConfigMapProjectionFields[] = {
    known("items", list_of(object(kKeyToPathSchema))),
    known("name", kString),
    known("optional", kBoolean),
};
constexpr Schema kConfigMapProjectionSchema{"ConfigMapProjection", kConfigMapProjectionFields};

constexpr Field kDownwardApiProjectionFields[] = {
    known("items", list_of(object(kDownwardApiVolumeFileSchema))),
};
constexpr Schema kDownwardApiProjectionSchema{"DownwardAPIProjection", kDownwardApiProjectionFields};

constexpr Field kPodCertificateProjectionFields[] = {
    known("certificateChainPath", kString),
    known("credentialBundlePath", kString),
    known("keyPath", kString),
    known("keyType", kString).required(),
    known("maxExpirationSeconds", kInt32),
    known("signerName", kString).required(),
    known("userAnnotations", map_of(kString)),
};
constexpr Schema kPodCertificateProjectionSchema{"PodCertificateProjection", kPodCertificateProjectionFields};

constexpr Field kSecretProjectionFields[] = {
    known("items", list_of(object(kKeyToPathSchema))),
    known("name", kString),
    known("optional", kBoolean),
};
constexpr Schema kSecretProjectionSchema{"SecretProjection", kSecretProjectionFields};

constexpr Field kServiceAccountTokenProjectionFields[] = {
    known("audience", kString),
    known("expirationSeconds", kInt64),
    known("path", kString).required(),
};
constexpr Schema kServiceAccountTokenProjectionSchema{"ServiceAccountTokenProjection",
                                                      kServiceAccountTokenProjectionFields};

constexpr Field kVolumeProjectionFields[] = {
    known("clusterTrustBundle", object(kClusterTrustBundleProjectionSchema)),
    known("configMap", object(kConfigMapProjectionSchema)),
    known("downwardAPI", object(kDownwardApiProjectionSchema)),
    known("podCertificate", object(kPodCertificateProjectionSchema)),
    known("secret", object(kSecretProjectionSchema)),
    known("serviceAccountToken", object(kServiceAccountTokenProjectionSchema)),
};
constexpr Schema kVolumeProjectionSchema{"VolumeProjection", kVolumeProjectionFields};

constexpr Field kProjectedVolumeSourceFields[] = {
    known("defaultMode", kInt32),
    known("sources", list_of(object(kVolumeProjectionSchema))),
};
constexpr Schema kProjectedVolumeSourceSchema{"ProjectedVolumeSource", kProjectedVolumeSourceFields};

constexpr Field kQuobyteVolumeSourceFields[] = {
    known("group", kString),  known("readOnly", kBoolean), known("registry", kString).required(),
    known("tenant", kString), known("user", kString),      known("volume", kString).required(),
};
constinit const Schema kQuobyteVolumeSourceSchema{"QuobyteVolumeSource", kQuobyteVolumeSourceFields};

constexpr Field kRbdVolumeSourceFields[] = {
    known("fsType", kString),
    field<&RbdVolumeSource::image>("image").required(),
    known("keyring", kString),
    field<&RbdVolumeSource::monitors>("monitors").required(),
    field<&RbdVolumeSource::pool>("pool"),
    field<&RbdVolumeSource::read_only>("readOnly"),
    known("secretRef", object(kLocalObjectReferenceSchema)),
    known("user", kString),
};
constexpr Schema kRbdVolumeSourceSchema{"RBDVolumeSource", kRbdVolumeSourceFields};

constexpr Field kScaleIoVolumeSourceFields[] = {
    known("fsType", kString),
    known("gateway", kString).required(),
    known("protectionDomain", kString),
    known("readOnly", kBoolean),
    known("secretRef", object(kLocalObjectReferenceSchema)).required(),
    known("sslEnabled", kBoolean),
    known("storageMode", kString),
    known("storagePool", kString),
    known("system", kString).required(),
    known("volumeName", kString),
};
constexpr Schema kScaleIoVolumeSourceSchema{"ScaleIOVolumeSource", kScaleIoVolumeSourceFields};

constexpr Field kSecretVolumeSourceFields[] = {
    known("defaultMode", kInt32),
    known("items", list_of(object(kKeyToPathSchema))),
    known("optional", kBoolean),
    known("secretName", kString),
};
constexpr Schema kSecretVolumeSourceSchema{"SecretVolumeSource", kSecretVolumeSourceFields};

constexpr Field kStorageOsVolumeSourceFields[] = {
    known("fsType", kString),
    known("readOnly", kBoolean),
    known("secretRef", object(kLocalObjectReferenceSchema)),
    known("volumeName", kString),
    known("volumeNamespace", kString),
};
constexpr Schema kStorageOsVolumeSourceSchema{"StorageOSVolumeSource", kStorageOsVolumeSourceFields};

constexpr Field kVsphereVirtualDiskVolumeSourceFields[] = {
    known("fsType", kString),
    known("storagePolicyID", kString),
    known("storagePolicyName", kString),
    known("volumePath", kString).required(),
};
constinit const Schema kVsphereVirtualDiskVolumeSourceSchema{"VsphereVirtualDiskVolumeSource",
                                                             kVsphereVirtualDiskVolumeSourceFields};

constexpr Field kVolumeFields[] = {
    field<&Volume::aws_elastic_block_store>("awsElasticBlockStore", object(kAwsElasticBlockStoreVolumeSourceSchema)),
    field<&Volume::azure_disk>("azureDisk", object(kAzureDiskVolumeSourceSchema)),
    presence<&Volume::azure_file>("azureFile", object(kAzureFileVolumeSourceSchema)),
    known("cephfs", object(kCephFsVolumeSourceSchema)),
    field<&Volume::cinder>("cinder", object(kCinderVolumeSourceSchema)),
    known("configMap", object(kConfigMapVolumeSourceSchema)),
    field<&Volume::csi>("csi", object(kCsiVolumeSourceSchema)),
    known("downwardAPI", object(kDownwardApiVolumeSourceSchema)),
    presence<&Volume::empty_dir>("emptyDir", object(kEmptyDirVolumeSourceSchema)),
    part("ephemeral", kEphemeralVolumeSourceSchema),
    known("fc", object(kFcVolumeSourceSchema)),
    known("flexVolume", object(kFlexVolumeSourceSchema)),
    known("flocker", object(kFlockerVolumeSourceSchema)),
    field<&Volume::gce_persistent_disk>("gcePersistentDisk", object(kGcePersistentDiskVolumeSourceSchema)),
    known("gitRepo", object(kGitRepoVolumeSourceSchema)),
    known("glusterfs", object(kGlusterfsVolumeSourceSchema)),
    presence<&Volume::host_path>("hostPath", object(kHostPathVolumeSourceSchema)),
    part("image", kImageVolumeSourceSchema),
    field<&Volume::iscsi>("iscsi", object(kISCsiVolumeSourceSchema)),
    field<&Volume::name>("name").required(),
    known("nfs", object(kNfsVolumeSourceSchema)),
    field<&Volume::persistent_volume_claim>("persistentVolumeClaim", object(kPersistentVolumeClaimVolumeSourceSchema)),
    known("photonPersistentDisk", object(kPhotonPersistentDiskVolumeSourceSchema)),
    field<&Volume::portworx_volume>("portworxVolume", object(kPortworxVolumeSourceSchema)),
    known("projected", object(kProjectedVolumeSourceSchema)),
    known("quobyte", object(kQuobyteVolumeSourceSchema)),
    field<&Volume::rbd>("rbd", object(kRbdVolumeSourceSchema)),
    known("scaleIO", object(kScaleIoVolumeSourceSchema)),
    known("secret", object(kSecretVolumeSourceSchema)),
    known("storageos", object(kStorageOsVolumeSourceSchema)),
    presence<&Volume::vsphere_volume>("vsphereVolume", object(kVsphereVirtualDiskVolumeSourceSchema)),
};
constinit const Schema kVolumeSchema{"Volume", kVolumeFields};

}  // namespace loadline::kube

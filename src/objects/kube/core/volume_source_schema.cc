#include "objects/kube/core/volume_source_schema.h"

#include "objects/kube/core/container_schema.h"
#include "objects/kube/core/volume_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr Field kAwsElasticBlockStoreVolumeSourceFields[] = {
    field<&DiskVolumeSource::read_only>("readOnly"),
    field<&DiskVolumeSource::id>("volumeID"),
};
constinit const Schema kAwsElasticBlockStoreVolumeSourceSchema{"io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource",
                                                               kAwsElasticBlockStoreVolumeSourceFields};

constexpr Field kAzureDiskVolumeSourceFields[] = {
    field<&AzureDiskVolumeSource::kind>("kind"),
    field<&AzureDiskVolumeSource::disk_name>("diskName"),
    field<&AzureDiskVolumeSource::disk_uri>("diskURI"),
    field<&AzureDiskVolumeSource::read_only>("readOnly"),
};
constinit const Schema kAzureDiskVolumeSourceSchema{"io.k8s.api.core.v1.AzureDiskVolumeSource",
                                                    kAzureDiskVolumeSourceFields};

constexpr Field kCinderVolumeSourceFields[] = {
    field<&DiskVolumeSource::read_only>("readOnly"),
    field<&DiskVolumeSource::id>("volumeID"),
};
constexpr Schema kCinderVolumeSourceSchema{"io.k8s.api.core.v1.CinderVolumeSource", kCinderVolumeSourceFields};

constexpr Field kCsiVolumeSourceFields[] = {
    field<&CsiVolumeSource::driver>("driver"),
};
constexpr Schema kCsiVolumeSourceSchema{"io.k8s.api.core.v1.CSIVolumeSource", kCsiVolumeSourceFields};

constexpr Field kEphemeralVolumeSourceFields[] = {
    field<&Volume::ephemeral_claim>("volumeClaimTemplate", kPersistentVolumeClaimTemplateSchema),
};
constexpr Schema kEphemeralVolumeSourceSchema{"io.k8s.api.core.v1.EphemeralVolumeSource", kEphemeralVolumeSourceFields};

constexpr Field kGcePersistentDiskVolumeSourceFields[] = {
    field<&DiskVolumeSource::id>("pdName"),
    field<&DiskVolumeSource::read_only>("readOnly"),
};
constinit const Schema kGcePersistentDiskVolumeSourceSchema{"io.k8s.api.core.v1.GCEPersistentDiskVolumeSource",
                                                            kGcePersistentDiskVolumeSourceFields};

constexpr Field kImageVolumeSourceFields[] = {
    field<&Volume::image_reference>("reference"),
};
constexpr Schema kImageVolumeSourceSchema{"io.k8s.api.core.v1.ImageVolumeSource", kImageVolumeSourceFields};

constexpr Field kISCsiVolumeSourceFields[] = {
    field<&IscsiVolumeSource::iqn>("iqn"),
    field<&IscsiVolumeSource::lun>("lun"),
    field<&IscsiVolumeSource::read_only>("readOnly"),
    field<&IscsiVolumeSource::target_portal>("targetPortal"),
};
constexpr Schema kISCsiVolumeSourceSchema{"io.k8s.api.core.v1.ISCSIVolumeSource", kISCsiVolumeSourceFields};

constexpr Field kPersistentVolumeClaimVolumeSourceFields[] = {
    field<&PersistentVolumeClaimVolumeSource::claim_name>("claimName"),
    field<&PersistentVolumeClaimVolumeSource::read_only>("readOnly"),
};
constexpr Schema kPersistentVolumeClaimVolumeSourceSchema{"io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource",
                                                          kPersistentVolumeClaimVolumeSourceFields};

constexpr Field kPortworxVolumeSourceFields[] = {
    field<&DiskVolumeSource::read_only>("readOnly"),
    field<&DiskVolumeSource::id>("volumeID"),
};
constinit const Schema kPortworxVolumeSourceSchema{"io.k8s.api.core.v1.PortworxVolumeSource",
                                                   kPortworxVolumeSourceFields};

constexpr Field kClusterTrustBundleProjectionFields[] = {
    within("labelSelector", kLabelSelectorSchema),
};
constexpr Schema kClusterTrustBundleProjectionSchema{"io.k8s.api.core.v1.ClusterTrustBundleProjection",
                                                     kClusterTrustBundleProjectionFields};

constexpr Field kVolumeProjectionFields[] = {
    within("clusterTrustBundle", kClusterTrustBundleProjectionSchema),
};
constexpr Schema kVolumeProjectionSchema{"io.k8s.api.core.v1.VolumeProjection", kVolumeProjectionFields};

constexpr Field kProjectedVolumeSourceFields[] = {
    within("sources", kVolumeProjectionSchema),
};
constexpr Schema kProjectedVolumeSourceSchema{"io.k8s.api.core.v1.ProjectedVolumeSource", kProjectedVolumeSourceFields};

constexpr Field kRbdVolumeSourceFields[] = {
    field<&RbdVolumeSource::image>("image"),
    field<&RbdVolumeSource::monitors>("monitors"),
    field<&RbdVolumeSource::pool>("pool"),
    field<&RbdVolumeSource::read_only>("readOnly"),
};
constexpr Schema kRbdVolumeSourceSchema{"io.k8s.api.core.v1.RBDVolumeSource", kRbdVolumeSourceFields};

constexpr Field kVolumeFields[] = {
    field<&Volume::aws_elastic_block_store>("awsElasticBlockStore", kAwsElasticBlockStoreVolumeSourceSchema),
    field<&Volume::azure_disk>("azureDisk", kAzureDiskVolumeSourceSchema),
    presence<&Volume::azure_file>("azureFile"),
    field<&Volume::cinder>("cinder", kCinderVolumeSourceSchema),
    field<&Volume::csi>("csi", kCsiVolumeSourceSchema),
    presence<&Volume::empty_dir>("emptyDir"),
    part("ephemeral", kEphemeralVolumeSourceSchema),
    field<&Volume::gce_persistent_disk>("gcePersistentDisk", kGcePersistentDiskVolumeSourceSchema),
    presence<&Volume::host_path>("hostPath"),
    part("image", kImageVolumeSourceSchema),
    field<&Volume::iscsi>("iscsi", kISCsiVolumeSourceSchema),
    field<&Volume::name>("name"),
    field<&Volume::persistent_volume_claim>("persistentVolumeClaim", kPersistentVolumeClaimVolumeSourceSchema),
    field<&Volume::portworx_volume>("portworxVolume", kPortworxVolumeSourceSchema),
    within("projected", kProjectedVolumeSourceSchema),
    field<&Volume::rbd>("rbd", kRbdVolumeSourceSchema),
    presence<&Volume::vsphere_volume>("vsphereVolume"),
};
constinit const Schema kVolumeSchema{"io.k8s.api.core.v1.Volume", kVolumeFields};

}  // namespace loadline::kube

#include "objects/kube/core/volume_validation.h"

#include <algorithm>
#include <set>

#include "objects/kube/core/affinity_validation.h"
#include "objects/kube/core/ephemeral_claims.h"
#include "objects/kube/core/resource_validation.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/meta_validation.h"
#include "objects/kube/validation.h"

namespace loadline::kube {
namespace {

constexpr std::size_t kMaxDriverName = 63;
constexpr std::string_view kOneSource = "may not specify more than 1 volume type";

void validate_access_modes(FieldReport& report, const Path& at, const std::vector<AccessMode>& modes,
                           std::string_view missing) {
  if (modes.empty()) report.required(at, missing, "for example accessModes: [ReadWriteOnce]");
  const auto exclusive = std::count(modes.begin(), modes.end(), AccessMode::kReadWriteOncePod);
  if (exclusive > 0 && exclusive < static_cast<std::ptrdiff_t>(modes.size())) {
    report.forbidden(at, "may not use ReadWriteOncePod with other access modes");
  }
}

void validate_disk(FieldReport& report, const Path& at, const DiskVolumeSource& disk, std::string_view id) {
  if (disk.id.empty()) report.required(Path(at, id));
}

void validate_azure_disk(FieldReport& report, const Path& at, const AzureDiskVolumeSource& disk) {
  if (disk.disk_name.empty()) report.required(Path(at, "diskName"));
  if (disk.disk_uri.empty()) report.required(Path(at, "diskURI"));
}

void validate_iscsi(FieldReport& report, const Path& at, const IscsiVolumeSource& source) {
  if (source.target_portal.empty()) report.required(Path(at, "targetPortal"));
  if (source.iqn.empty()) {
    report.required(Path(at, "iqn"));
  } else if (!source.iqn.starts_with("iqn") && !source.iqn.starts_with("eui") && !source.iqn.starts_with("naa")) {
    report.invalid(Path(at, "iqn"), source.iqn, "must be valid format starting with iqn, eui, or naa");
  }
  if (source.lun < 0 || source.lun > 255) report.invalid(Path(at, "lun"), source.lun, range_problem(0, 255));
}

void validate_rbd(FieldReport& report, const Path& at, const RbdVolumeSource& source) {
  if (source.monitors.empty()) report.required(Path(at, "monitors"));
  if (source.image.empty()) report.required(Path(at, "image"));
}

void validate_claim_template(FieldReport& report, const Path& at, const PersistentVolumeClaimTemplate& claim) {
  const Path metadata(at, "metadata");
  validate_annotations(report, Path(metadata, "annotations"), claim.metadata.annotations);
  validate_labels(report, Path(metadata, "labels"), claim.metadata.labels);
  validate_claim_spec(report, Path(at, "spec"), claim.spec);
}

/// Checks the sources of one volume in upstream's order; only the first may be there.
class SourceCheck {
 public:
  SourceCheck(FieldReport& report, const Path& at) : report_(report), at_(at) {}

  /// True if the source's own rules are to be checked.
  bool counts(bool present, std::string_view field) {
    if (!present) return false;
    if (++found_ == 1) return true;
    report_.forbidden(Path(at_, field), kOneSource);
    return false;
  }

 private:
  FieldReport& report_;
  const Path& at_;
  int found_ = 0;
};

void validate_ephemeral(FieldReport& report, const Path& at, const Volume& volume, std::string_view pod_name) {
  const Path ephemeral(at, "ephemeral");
  validate_claim_template(report, Path(ephemeral, "volumeClaimTemplate"), *volume.ephemeral_claim);
  if (pod_name.empty()) return;
  const std::string claim = ephemeral_claim_name(pod_name, volume);
  for (const std::string& problem : dns_subdomain_problems(claim)) {
    report.invalid(Path(at, "name"), volume.name, "PVC name " + quoted(claim) + ": " + problem);
  }
}

void validate_source(FieldReport& report, const Path& at, const Volume& volume, std::string_view pod_name) {
  SourceCheck check(report, at);
  check.counts(volume.empty_dir, "emptyDir");
  check.counts(volume.host_path, "hostPath");
  if (check.counts(volume.gce_persistent_disk.has_value(), "gcePersistentDisk")) {
    validate_disk(report, Path(at, "persistentDisk"), *volume.gce_persistent_disk, "pdName");
  }
  if (check.counts(volume.aws_elastic_block_store.has_value(), "awsElasticBlockStore")) {
    validate_disk(report, Path(at, "awsElasticBlockStore"), *volume.aws_elastic_block_store, "volumeID");
  }
  if (check.counts(volume.iscsi.has_value(), "iscsi")) validate_iscsi(report, Path(at, "iscsi"), *volume.iscsi);
  if (check.counts(volume.persistent_volume_claim.has_value(), "persistentVolumeClaim") &&
      volume.persistent_volume_claim->claim_name.empty()) {
    const Path claim(at, "persistentVolumeClaim");
    report.required(Path(claim, "claimName"));
  }
  if (check.counts(volume.rbd.has_value(), "rbd")) validate_rbd(report, Path(at, "rbd"), *volume.rbd);
  if (check.counts(volume.cinder.has_value(), "cinder")) {
    validate_disk(report, Path(at, "cinder"), *volume.cinder, "volumeID");
  }
  if (check.counts(volume.azure_disk.has_value(), "azureDisk")) {
    validate_azure_disk(report, Path(at, "azureDisk"), *volume.azure_disk);
  }
  if (check.counts(volume.portworx_volume.has_value(), "portworxVolume")) {
    validate_disk(report, Path(at, "portworxVolume"), *volume.portworx_volume, "volumeID");
  }
  check.counts(volume.azure_file, "azureFile");
  check.counts(volume.vsphere_volume, "vsphereVolume");
  if (check.counts(volume.csi.has_value(), "csi")) {
    const Path csi(at, "csi");
    validate_csi_driver_name(report, Path(csi, "driver"), volume.csi->driver);
  }
  if (check.counts(volume.ephemeral_claim.has_value(), "ephemeral")) validate_ephemeral(report, at, volume, pod_name);
  check.counts(!volume.image_reference.empty(), "image");
}

void validate_capacity(FieldReport& report, const Path& at, const ResourceList& capacity) {
  if (capacity.empty()) report.required(at, {}, "for example capacity: {storage: 10Gi}");
  if (!capacity.contains("storage") || capacity.size() > 1) {
    std::string json;
    for (const auto& [name, amount] : capacity) {
      json.append(json.empty() ? "{" : ",").append(quoted(name)).append(":").append(quoted(amount.to_string()));
    }
    report.unsupported_json(at, json.empty() ? "null" : json + "}", {"storage"});
  }
  for (const auto& [name, amount] : capacity) {
    const Path place = Path::key(at, name);
    if (amount.value() < 0) report.invalid(place, amount.value(), "must be a valid resource quantity");
    validate_positive(report, place, amount);
  }
}

}  // namespace

void validate_csi_driver_name(FieldReport& report, const Path& at, std::string_view name) {
  if (name.empty()) {
    report.required(at);
    return;
  }
  if (name.size() > kMaxDriverName) report.too_long(at, kMaxDriverName);
  report.invalid_name(at, name, dns_subdomain_problems(lower_case(name)));
}

void validate_claim_spec(FieldReport& report, const Path& at, const PersistentVolumeClaimSpec& spec) {
  if (spec.access_modes.empty()) {
    report.required(Path(at, "accessModes"), "at least 1 access mode is required",
                    "for example accessModes: [ReadWriteOnce]");
  }
  validate_label_selector(report, Path(at, "selector"), spec.selector);
  if (!spec.access_modes.empty()) validate_access_modes(report, Path(at, "accessModes"), spec.access_modes, {});
  const Path resources(at, "resources");
  const Path storage = Path::key(resources, "storage");
  const auto request = spec.requests.find("storage");
  if (request == spec.requests.end()) {
    report.required(storage, {}, "add resources: {requests: {storage: 10Gi}}");
  } else {
    validate_positive(report, storage, request->second);
  }
  if (spec.storage_class_name && !spec.storage_class_name->empty()) {
    report.invalid_name(Path(at, "storageClassName"), *spec.storage_class_name,
                        dns_subdomain_problems(*spec.storage_class_name));
  }
  if (!spec.volume_attributes_class_name.empty()) {
    report.invalid_name(Path(at, "volumeAttributesClassName"), spec.volume_attributes_class_name,
                        dns_subdomain_problems(spec.volume_attributes_class_name));
  }
}

void validate_volumes(FieldReport& report, const Path& at, const std::vector<Volume>& volumes,
                      std::string_view pod_name) {
  std::set<std::string, std::less<>> created;
  for (const Volume& volume : volumes) {
    if (volume.ephemeral_claim && !pod_name.empty()) created.insert(ephemeral_claim_name(pod_name, volume));
  }
  std::set<std::string, std::less<>> names;
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const Volume& volume = volumes[i];
    const Path place = Path::element(at, i);
    const Path name(place, "name");
    const std::size_t before = report.size();
    validate_source(report, place, volume, pod_name);
    if (volume.name.empty()) {
      report.required(name);
    } else {
      report.invalid_name(name, volume.name, dns_label_problems(volume.name));
    }
    if (names.contains(volume.name)) report.duplicate(name, volume.name);
    if (report.size() == before) names.insert(volume.name);
    if (volume.persistent_volume_claim && created.contains(volume.persistent_volume_claim->claim_name)) {
      const Path claim(place, "persistentVolumeClaim");
      report.invalid(Path(claim, "claimName"), volume.persistent_volume_claim->claim_name,
                     "must not reference a PVC that gets created for an ephemeral volume");
    }
  }
}

FieldErrors validate(const PersistentVolume& volume) {
  FieldReport report;
  validate_metadata(report, volume.metadata, NamespaceRule::kForbidden, dns_subdomain_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  validate_access_modes(report, Path(spec, "accessModes"), volume.access_modes, {});
  validate_capacity(report, Path(spec, "capacity"), volume.capacity);
  if (volume.node_affinity) {
    const Path affinity(spec, "nodeAffinity");
    validate_node_selector(report, Path(affinity, "required"), *volume.node_affinity);
  }
  if (!volume.storage_class_name.empty()) {
    report.invalid_name(Path(spec, "storageClassName"), volume.storage_class_name,
                        dns_subdomain_problems(volume.storage_class_name));
  }
  if (!volume.volume_attributes_class_name.empty()) {
    report.invalid_name(Path(spec, "volumeAttributesClassName"), volume.volume_attributes_class_name,
                        dns_subdomain_problems(volume.volume_attributes_class_name));
    if (volume.csi_driver.empty()) {
      report.required(Path(spec, "csi"), "has to be specified when using volumeAttributesClassName");
    }
  }
  return report.take();
}

FieldErrors validate(const PersistentVolumeClaim& claim) {
  FieldReport report;
  validate_metadata(report, claim.metadata, NamespaceRule::kRequired, dns_subdomain_problems);
  const Path root(nullptr);
  validate_claim_spec(report, Path(root, "spec"), claim.spec);
  return report.take();
}

}  // namespace loadline::kube

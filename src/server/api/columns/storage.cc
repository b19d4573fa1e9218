#include <array>
#include <string>
#include <vector>

#include "foundation/base/text.h"
#include "server/api/columns/columns.h"
#include "server/api/columns/formatting.h"
#include "server/api/columns/reading.h"

namespace loadline::api {
namespace {

using document::Value;

std::string access_modes(std::span<const Value> modes) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kShort = {{
      {"ReadWriteOnce", "RWO"},
      {"ReadOnlyMany", "ROX"},
      {"ReadWriteMany", "RWX"},
      {"ReadWriteOncePod", "RWOP"},
  }};
  std::vector<std::string_view> texts;
  for (const auto& [name, text] : kShort) {
    for (const Value& mode : modes) {
      if (!mode.is_string() || mode.string() != name) continue;
      texts.push_back(text);
      break;
    }
  }
  return joined(texts, ",");
}

/// The annotation is how the class was said before there was a field.
std::string_view storage_class(const Value& object) {
  const Value* annotation = at(object, "metadata", "annotations", "volume.beta.kubernetes.io/storage-class");
  if (annotation != nullptr && annotation->is_string()) return annotation->string();
  return text_at(object, "spec", "storageClassName");
}

std::string_view phase(const Value& object) {
  return is_being_deleted(object) ? "Terminating" : text_at(object, "status", "phase");
}

constexpr TableColumn kVolumeMode = {"VolumeMode", "string", "", "Whether it is a file system or a block device.", 1};

constexpr std::array kPersistentVolumeColumns = {
    kName,
    TableColumn{"Capacity", "string", "", "The size of the volume."},
    TableColumn{"Access Modes", "string", "", "How the volume may be mounted."},
    TableColumn{"Reclaim Policy", "string", "", "What becomes of the volume when its claim goes."},
    TableColumn{"Status", "string", "", "The phase of the volume."},
    TableColumn{"Claim", "string", "", "The claim that the volume is bound to."},
    TableColumn{"StorageClass", "string", "", "The volume's StorageClass."},
    TableColumn{"VolumeAttributesClass", "string", "", "The volume's VolumeAttributesClass."},
    TableColumn{"Reason", "string", "", "Why the volume failed, in a word."},
    kAge,
    kVolumeMode,
};

void write_persistent_volume(const Value& object, CellWriter& cells) {
  std::string claim;
  if (const Value* reference = at(object, "spec", "claimRef")) {
    claim = std::string(text_at(*reference, "namespace")).append("/").append(text_at(*reference, "name"));
  }
  cells.text(name_of(object));
  cells.text(scalar_text(at(object, "spec", "capacity", "storage"), "0"));
  cells.text(access_modes(elements_at(object, "spec", "accessModes")));
  cells.text(text_at(object, "spec", "persistentVolumeReclaimPolicy"));
  cells.text(phase(object));
  cells.text(claim);
  cells.text(storage_class(object));
  cells.text(scalar_text(at(object, "spec", "volumeAttributesClassName"), "<unset>"));
  cells.text(text_at(object, "status", "reason"));
  cells.age(object);
  cells.text(scalar_text(at(object, "spec", "volumeMode"), "<unset>"));
}

constexpr std::array kPersistentVolumeClaimColumns = {
    kName,
    TableColumn{"Status", "string", "", "The phase of the claim."},
    TableColumn{"Volume", "string", "", "The volume that the claim is bound to."},
    TableColumn{"Capacity", "string", "", "The size of the volume."},
    TableColumn{"Access Modes", "string", "", "How the volume may be mounted."},
    TableColumn{"StorageClass", "string", "", "The claim's StorageClass."},
    TableColumn{"VolumeAttributesClass", "string", "", "The claim's VolumeAttributesClass."},
    kAge,
    kVolumeMode,
};

void write_persistent_volume_claim(const Value& object, CellWriter& cells) {
  const std::string_view volume = text_at(object, "spec", "volumeName");
  const bool is_bound = !volume.empty();
  cells.text(name_of(object));
  cells.text(phase(object));
  cells.text(volume);
  cells.text(is_bound ? scalar_text(at(object, "status", "capacity", "storage"), "0") : "");
  cells.text(is_bound ? access_modes(elements_at(object, "status", "accessModes")) : "");
  cells.text(storage_class(object));
  cells.text(scalar_text(at(object, "spec", "volumeAttributesClassName"), "<unset>"));
  cells.age(object);
  cells.text(scalar_text(at(object, "spec", "volumeMode"), "<unset>"));
}

constexpr std::array kStorageClassColumns = {
    kName,
    TableColumn{"Provisioner", "string", "", "The provisioner of volumes of the class."},
    TableColumn{"ReclaimPolicy", "string", "", "What becomes of volumes when their claim goes."},
    TableColumn{"VolumeBindingMode", "string", "", "Whether volumes wait for a pod that uses them."},
    TableColumn{"AllowVolumeExpansion", "string", "", "Whether volumes may grow."},
    kAge,
};

void write_storage_class(const Value& object, CellWriter& cells) {
  std::string name(name_of(object));
  const auto says_default = [&object](std::string_view annotation) {
    return text_at(object, "metadata", "annotations", annotation) == "true";
  };
  if (says_default("storageclass.kubernetes.io/is-default-class") ||
      says_default("storageclass.beta.kubernetes.io/is-default-class")) {
    name += " (default)";
  }
  cells.text(name);
  cells.text(text_at(object, "provisioner"));
  cells.text(scalar_text(at(object, "reclaimPolicy"), "Delete"));
  cells.text(scalar_text(at(object, "volumeBindingMode"), "Immediate"));
  cells.boolean(boolean_at(object, "allowVolumeExpansion"));
  cells.age(object);
}

constexpr std::array kVolumeAttributesClassColumns = {
    kName,
    TableColumn{"DriverName", "string", "", "The driver that knows the attributes."},
    kAge,
};

void write_volume_attributes_class(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(text_at(object, "driverName"));
  cells.age(object);
}

constexpr std::array kVolumeAttachmentColumns = {
    kName,
    TableColumn{"Attacher", "string", "name", "The driver that attaches the volume."},
    TableColumn{"PV", "string", "", "The volume."},
    TableColumn{"Node", "string", "", "The node that the volume is attached to."},
    TableColumn{"Attached", "boolean", "", "Whether the volume is attached."},
    kAge,
};

void write_volume_attachment(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(text_at(object, "spec", "attacher"));
  cells.text(text_at(object, "spec", "source", "persistentVolumeName"));
  cells.text(text_at(object, "spec", "nodeName"));
  cells.boolean(boolean_at(object, "status", "attached"));
  cells.age(object);
}

constexpr std::array kCsiNodeColumns = {
    kName,
    TableColumn{"Drivers", "integer", "", "How many drivers are registered on the node."},
    kAge,
};

void write_csi_node(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.integer(static_cast<std::int64_t>(elements_at(object, "spec", "drivers").size()));
  cells.age(object);
}

constexpr std::array kCsiDriverColumns = {
    kName,
    TableColumn{"AttachRequired", "boolean", "", "Whether volumes must be attached before they are mounted."},
    TableColumn{"PodInfoOnMount", "boolean", "", "Whether the driver is told about the pod."},
    TableColumn{"StorageCapacity", "boolean", "", "Whether the driver says how much room it has."},
    TableColumn{"TokenRequests", "string", "", "The audiences of the tokens that the driver wants."},
    TableColumn{"RequiresRepublish", "boolean", "", "Whether mounts are refreshed from time to time."},
    TableColumn{"Modes", "string", "", "Which volumes the driver makes: persistent, ephemeral."},
    kAge,
};

std::string token_audiences(const Value& driver) {
  if (at(driver, "spec", "tokenRequests") == nullptr) return "<unset>";
  std::vector<std::string_view> audiences;
  for (const Value& request : elements_at(driver, "spec", "tokenRequests")) {
    audiences.push_back(text_at(request, "audience"));
  }
  return joined(audiences, ",");
}

void write_csi_driver(const Value& object, CellWriter& cells) {
  std::vector<std::string_view> modes;
  for (const Value& mode : elements_at(object, "spec", "volumeLifecycleModes")) {
    if (mode.is_string()) modes.push_back(mode.string());
  }
  const bool attaches = at(object, "spec", "attachRequired") == nullptr || boolean_at(object, "spec", "attachRequired");
  cells.text(name_of(object));
  cells.boolean(attaches);
  cells.boolean(boolean_at(object, "spec", "podInfoOnMount"));
  cells.boolean(boolean_at(object, "spec", "storageCapacity"));
  cells.text(token_audiences(object));
  cells.boolean(boolean_at(object, "spec", "requiresRepublish"));
  cells.text_or(joined(modes, ","), "<none>");
  cells.age(object);
}

// CSIStorageCapacity has no entry: the API server shows its name and creation only.
constexpr std::array kStorageKinds = {
    KindColumns{"", "PersistentVolume", kPersistentVolumeColumns, write_persistent_volume},
    KindColumns{"", "PersistentVolumeClaim", kPersistentVolumeClaimColumns, write_persistent_volume_claim},
    KindColumns{"storage.k8s.io", "StorageClass", kStorageClassColumns, write_storage_class},
    KindColumns{"storage.k8s.io", "VolumeAttributesClass", kVolumeAttributesClassColumns,
                write_volume_attributes_class},
    KindColumns{"storage.k8s.io", "VolumeAttachment", kVolumeAttachmentColumns, write_volume_attachment},
    KindColumns{"storage.k8s.io", "CSINode", kCsiNodeColumns, write_csi_node},
    KindColumns{"storage.k8s.io", "CSIDriver", kCsiDriverColumns, write_csi_driver},
};

}  // namespace

std::span<const KindColumns> storage_columns() { return kStorageKinds; }

}  // namespace loadline::api

#include "objects/kube/storage/storage_classes.h"

#include <algorithm>
#include <string>
#include <utility>

namespace loadline::kube {
namespace {

constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";
constexpr std::string_view kDefaultClass = "storageclass.kubernetes.io/is-default-class";
constexpr std::string_view kOldDefaultClass = "storageclass.beta.kubernetes.io/is-default-class";

const std::string* annotation(const ObjectMeta& metadata, std::string_view key) {
  const auto found = metadata.annotations.find(key);
  return found == metadata.annotations.end() ? nullptr : &found->second;
}

bool is_true(const ObjectMeta& metadata, std::string_view key) {
  const std::string* value = annotation(metadata, key);
  return value != nullptr && *value == "true";
}

}  // namespace

std::string_view class_of(const PersistentVolumeClaim& claim) {
  if (const std::string* name = annotation(claim.metadata, kClassAnnotation)) return *name;
  return claim.spec.storage_class_name ? std::string_view(*claim.spec.storage_class_name) : std::string_view();
}

std::string_view class_of(const PersistentVolume& volume) {
  if (const std::string* name = annotation(volume.metadata, kClassAnnotation)) return *name;
  return volume.storage_class_name;
}

bool names_class(const PersistentVolumeClaim& claim) {
  return claim.spec.storage_class_name || annotation(claim.metadata, kClassAnnotation) != nullptr;
}

bool is_marked_default(const StorageClass& storage_class) {
  return is_true(storage_class.metadata, kDefaultClass) || is_true(storage_class.metadata, kOldDefaultClass);
}

bool outranks(const StorageClass& a, const StorageClass& b) {
  if (a.metadata.creation_timestamp != b.metadata.creation_timestamp) {
    return a.metadata.creation_timestamp > b.metadata.creation_timestamp;
  }
  return a.metadata.name < b.metadata.name;
}

void make_default_class(std::vector<StorageClass>& classes, const std::string& name) {
  auto found = std::ranges::find(classes, name, [](const StorageClass& each) { return each.metadata.name; });
  if (found == classes.end()) {
    StorageClass made;
    made.metadata.name = name;
    made.provisioner = "loadline.dev/assumed";
    made.volume_binding_mode = VolumeBindingMode::kWaitForFirstConsumer;
    found = classes.insert(classes.end(), std::move(made));
  }
  found->metadata.annotations.insert_or_assign(std::string(kDefaultClass), "true");
}

}  // namespace loadline::kube

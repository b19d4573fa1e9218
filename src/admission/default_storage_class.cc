#include "admission/default_storage_class.h"

#include <array>
#include <string_view>

namespace loadline::admission {
namespace {

constexpr std::array<std::string_view, 2> kMarks = {"storageclass.kubernetes.io/is-default-class",
                                                    "storageclass.beta.kubernetes.io/is-default-class"};

bool marked(const kube::StorageClass& storage_class) {
  for (const std::string_view mark : kMarks) {
    const auto found = storage_class.metadata.annotations.find(mark);
    if (found != storage_class.metadata.annotations.end() && found->second == "true") return true;
  }
  return false;
}

bool preferred(const kube::ObjectMeta& a, const kube::ObjectMeta& b) {
  if (a.creation_timestamp != b.creation_timestamp) return a.creation_timestamp > b.creation_timestamp;
  return a.name < b.name;
}

}  // namespace

std::optional<std::string> default_storage_class(const std::vector<kube::StorageClass>& classes) {
  const kube::StorageClass* best = nullptr;
  for (const kube::StorageClass& candidate : classes) {
    if (marked(candidate) && (best == nullptr || preferred(candidate.metadata, best->metadata))) best = &candidate;
  }
  if (best == nullptr) return std::nullopt;
  return best->metadata.name;
}

}  // namespace loadline::admission

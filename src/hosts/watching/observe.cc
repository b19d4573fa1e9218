#include "hosts/watching/observe.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/same_document.h"
#include "objects/kube/meta_schema.h"

namespace loadline::watching {

kube::ObjectMeta read_metadata(const document::Value& document) {
  const document::Value* metadata = document.find("metadata");
  if (metadata == nullptr) return {};
  return kube::view<kube::ObjectMeta>(*metadata, kube::kObjectMetaSchema).object;
}

UnreadMetadata without_known_metadata(const document::Value& document, const document::Value* before) {
  const document::Value* metadata = document.find("metadata");
  if (metadata == nullptr || !metadata->is_object()) return {document};
  const document::Value rest = document::without_same(*metadata, before == nullptr ? nullptr : before->find("metadata"),
                                                      {"labels", "annotations"});
  const auto is_same = [&](std::string_view name) {
    return metadata->find(name) != nullptr && rest.find(name) == nullptr;
  };
  return {document.with("metadata", rest.without("managedFields")), is_same("labels"), is_same("annotations")};
}

bool reads_spec_whole(const kube::Schema& schema) {
  return std::ranges::any_of(schema.fields(), [](const kube::Field& field) {
    return field.name == "spec" && !field.is_part && field.decode != nullptr;
  });
}

std::uint64_t revision_of(const document::Value& document) {
  const std::string_view text = document::text_at(document, {"metadata", "resourceVersion"});
  std::uint64_t revision = 0;
  std::from_chars(text.data(), text.data() + text.size(), revision);
  return revision;
}

ObjectKey key_of(const document::Value& document) {
  return {std::string(document::text_at(document, {"metadata", "namespace"})),
          std::string(document::text_at(document, {"metadata", "name"}))};
}

}  // namespace loadline::watching

#include "hosts/controllers/observe.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "objects/kube/meta_schema.h"

namespace loadline::controllers {

kube::ObjectMeta read_metadata(const document::Value& document) {
  const document::Value* metadata = document.find("metadata");
  if (metadata == nullptr) return {};
  return kube::view<kube::ObjectMeta>(*metadata, kube::kObjectMetaSchema).object;
}

UnreadMetadata without_known_metadata(const document::Value& document, const document::Value* before) {
  UnreadMetadata result;
  const document::Value* metadata = document.find("metadata");
  if (metadata == nullptr || !metadata->is_object()) return {document};
  const document::Value* metadata_before = before == nullptr ? nullptr : before->find("metadata");
  const auto is_same = [&](const document::Member& member) {
    const document::Value* value = metadata_before == nullptr ? nullptr : metadata_before->find(member.key);
    return value != nullptr && *value == member.value;
  };
  document::Object rest;
  rest.reserve(metadata->object().size());
  for (const document::Member& member : metadata->object()) {
    if (member.key == "managedFields") continue;
    bool* has_same = member.key == "labels"        ? &result.has_same_labels
                     : member.key == "annotations" ? &result.has_same_annotations
                                                   : nullptr;
    if (has_same != nullptr) *has_same = is_same(member);
    if (has_same == nullptr || !*has_same) rest.push_back(member);
  }
  result.document = document.with("metadata", document::Value(std::move(rest), metadata->mark()));
  return result;
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

}  // namespace loadline::controllers

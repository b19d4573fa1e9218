#include "hosts/controllers/observe.h"

#include <charconv>
#include <string>
#include <string_view>

#include "objects/kube/meta_schema.h"

namespace loadline::controllers {

kube::ObjectMeta read_metadata(const document::Value& document) {
  const document::Value* metadata = document.find("metadata");
  if (metadata == nullptr) return {};
  return kube::view<kube::ObjectMeta>(*metadata, kube::kObjectMetaSchema).object;
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

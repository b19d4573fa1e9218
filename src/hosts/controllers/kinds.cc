#include "hosts/controllers/kinds.h"

#include "objects/kube/meta_schema.h"

namespace loadline::controllers {

Plain read_plain(const document::Value& document) {
  const document::Value* metadata = document.find("metadata");
  if (metadata == nullptr) return {};
  return {kube::view<kube::ObjectMeta>(*metadata, kube::kObjectMetaSchema).object};
}

}  // namespace loadline::controllers

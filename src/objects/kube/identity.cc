#include "objects/kube/identity.h"

#include "foundation/document/at.h"

namespace loadline::kube {

using document::text_at;
using document::Value;

Identity identity_of(const Value& object) {
  Identity identity;
  const Value* metadata = object.find("metadata");
  if (metadata == nullptr) return identity;
  identity.name = text_at(*metadata, {"name"});
  if (identity.name.empty()) identity.name = text_at(*metadata, {"generateName"});
  identity.namespace_ = text_at(*metadata, {"namespace"});
  const Value* created = metadata->find("creationTimestamp");
  identity.from_cluster = !text_at(*metadata, {"uid"}).empty() || (created != nullptr && !created->is_null());
  return identity;
}

std::string subject_of(std::string_view kind, const Identity& identity, Scope scope) {
  std::string subject(kind);
  if (identity.name.empty()) return subject;
  subject += ' ';
  if (scope == Scope::kNamespaced) {
    subject += (identity.namespace_.empty() ? std::string("default") : identity.namespace_) + "/";
  }
  return subject + identity.name;
}

}  // namespace loadline::kube

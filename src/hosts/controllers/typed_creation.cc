#include "hosts/controllers/typed_creation.h"

#include "foundation/document/at.h"
#include "objects/kube/encoder.h"

namespace loadline::controllers {
namespace {

using document::Array;
using document::Object;
using document::Value;

/// The owner waits for what it controls, and for nothing else, when it is deleted in the foreground.
Value document_of(const kube::OwnerReference& owner) {
  Object members{{"apiVersion", Value(owner.api_version), {}},
                 {"kind", Value(owner.kind), {}},
                 {"name", Value(owner.name), {}},
                 {"uid", Value(owner.uid), {}}};
  if (owner.controller) {
    members.push_back({"controller", Value(true), {}});
    members.push_back({"blockOwnerDeletion", Value(true), {}});
  }
  return Value(std::move(members));
}

}  // namespace

Action creation_of(const KindName& kind, const kube::ObjectMeta& metadata, const kube::Schema& schema,
                   const void* object) {
  Array owners;
  for (const kube::OwnerReference& owner : metadata.owner_references) owners.push_back(document_of(owner));
  Object described{{"name", Value(metadata.name), {}}, {"ownerReferences", Value(std::move(owners)), {}}};
  if (!metadata.annotations.empty()) {
    Object annotations;
    for (const auto& [name, value] : metadata.annotations) annotations.push_back({name, Value(value), {}});
    described.push_back({"annotations", Value(std::move(annotations)), {}});
  }
  return create(kind, metadata.namespace_,
                Value(Object{{"apiVersion", Value(kind.api_version()), {}},
                             {"kind", Value(kind.kind), {}},
                             {"metadata", Value(std::move(described)), {}},
                             {"spec", document::value_at(kube::encode_object(schema, object), {"spec"}), {}}}));
}

}  // namespace loadline::controllers

#include "hosts/controllers/ownership.h"

#include <string>

namespace loadline::controllers {
namespace {

using document::Array;
using document::Object;
using document::Value;

/// The uid makes it a patch of that very object: of one that came later under its name it is refused.
Action patch_owners(const KindName& kind, const kube::ObjectMeta& of, Value reference) {
  Value patch_document(
      Object{{"metadata",
              Value(Object{{"ownerReferences", Value(Array{std::move(reference)}), {}}, {"uid", Value(of.uid), {}}}),
              {}}});
  return patch(kind, {of.namespace_, of.name}, kube::PatchType::kStrategic, std::move(patch_document));
}

}  // namespace

Value controller_reference(const KindName& kind, const kube::ObjectMeta& owner) {
  return Value(Object{{"apiVersion", Value(kind.api_version()), {}},
                      {"kind", Value(kind.kind), {}},
                      {"name", Value(owner.name), {}},
                      {"uid", Value(owner.uid), {}},
                      {"controller", Value(true), {}},
                      {"blockOwnerDeletion", Value(true), {}}});
}

Action adopt(const KindName& kind, const kube::ObjectMeta& orphan, Value controller_reference) {
  return patch_owners(kind, orphan, std::move(controller_reference));
}

Action release(const KindName& kind, const kube::ObjectMeta& dependent, std::string_view owner_uid) {
  return patch_owners(kind, dependent, Value(Object{{"$patch", Value("delete"), {}}, {"uid", Value(owner_uid), {}}}));
}

}  // namespace loadline::controllers

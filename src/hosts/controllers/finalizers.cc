#include "hosts/controllers/finalizers.h"

#include <algorithm>
#include <string>
#include <utility>

namespace loadline::controllers {
namespace {

using document::Array;
using document::Object;
using document::Value;

Action change(const KindName& kind, const kube::ObjectMeta& object, std::string_view list, std::string_view finalizer) {
  Object metadata{{std::string(list), Value(Array{Value(finalizer)}), {}}, {"uid", Value(object.uid), {}}};
  return patch(kind, {object.namespace_, object.name}, kube::PatchType::kStrategic,
               Value(Object{{"metadata", Value(std::move(metadata)), {}}}));
}

}  // namespace

bool has_finalizer(const kube::ObjectMeta& object, std::string_view finalizer) {
  return std::find(object.finalizers.begin(), object.finalizers.end(), finalizer) != object.finalizers.end();
}

Action add_finalizer(const KindName& kind, const kube::ObjectMeta& object, std::string_view finalizer) {
  return change(kind, object, "finalizers", finalizer);
}

Action remove_finalizer(const KindName& kind, const kube::ObjectMeta& object, std::string_view finalizer) {
  return change(kind, object, "$deleteFromPrimitiveList/finalizers", finalizer);
}

}  // namespace loadline::controllers

#include "hosts/watching/kueue_workload_patch.h"

#include <utility>

#include "hosts/watching/identity.h"
#include "objects/kube/kueue/workload_conditions.h"

namespace loadline::watching {

std::optional<Action> status_patch_of(const Observed<kube::KueueWorkload>& object, const kube::KueueWorkload& after) {
  using document::Object;
  using document::Value;
  Value changes = kube::status_changes(object.view, after);
  if (changes.object().empty()) return std::nullopt;
  return patch(kind_name<kube::KueueWorkload>(), object.key(), kube::PatchType::kMerge,
               Value(Object{{"metadata", Value(identity(object)), {}}, {"status", std::move(changes), {}}}), "status");
}

}  // namespace loadline::watching

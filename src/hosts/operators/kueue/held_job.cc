#include "hosts/operators/kueue/held_job.h"

#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/merge_patch.h"
#include "hosts/watching/observe.h"

namespace loadline::operators::kueue {

using document::Value;

std::optional<watching::Action> patch_between(const watching::KindName& kind, const Value& before, const Value& after) {
  Value patch = document::merge_patch_between(before, after);
  if (patch.object().empty()) return std::nullopt;
  patch = document::with_at(std::move(patch), {"metadata", "resourceVersion"},
                            Value(document::text_at(before, {"metadata", "resourceVersion"})));
  return watching::patch(kind, watching::key_of(before), kube::PatchType::kMerge, std::move(patch));
}

}  // namespace loadline::operators::kueue

#include "hosts/operators/kuberay/ray_written.h"

#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/operators/go_types.h"

namespace loadline::operators {

using document::Array;
using document::Object;
using document::Value;

Value ray_cluster_spec_as_written(Value spec) {
  constexpr std::string_view kPodTemplate = "io.k8s.api.core.v1.PodTemplateSpec";
  const Value head = document::value_at(spec, {"headGroupSpec", "template"});
  spec = document::with_at(std::move(spec), {"headGroupSpec", "template"}, as_go_completes(head, kPodTemplate));
  const Value* groups = spec.find("workerGroupSpecs");
  if (groups == nullptr || !groups->is_array()) return spec;
  Array completed;
  for (const Value& group : groups->array()) {
    Value written =
        Value(group).with("template", as_go_completes(document::value_at(group, {"template"}), kPodTemplate));
    if (written.find("scaleStrategy") == nullptr) written = std::move(written).with("scaleStrategy", Value(Object{}));
    completed.push_back(std::move(written));
  }
  return std::move(spec).with("workerGroupSpecs", Value(std::move(completed)));
}

}  // namespace loadline::operators

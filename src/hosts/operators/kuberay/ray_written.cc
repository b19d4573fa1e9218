#include "hosts/operators/kuberay/ray_written.h"

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
  Array groups = document::items_at(spec, {"workerGroupSpecs"});
  if (groups.empty()) return spec;
  for (Value& group : groups) {
    Value pods = as_go_completes(document::value_at(group, {"template"}), kPodTemplate);
    group = std::move(group).with("template", std::move(pods));
    if (group.find("scaleStrategy") == nullptr) group = std::move(group).with("scaleStrategy", Value(Object{}));
  }
  return std::move(spec).with("workerGroupSpecs", Value(std::move(groups)));
}

}  // namespace loadline::operators

#include "objects/kube/scheduling/newer_pod_group.h"

#include <algorithm>
#include <string>
#include <utility>

#include "foundation/document/at.h"

namespace loadline::kube {
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr std::string_view kOlder = "scheduling.k8s.io/v1alpha2";

Value older_reference(const Value& reference) {
  Object workload{
      {"workloadName", Value(std::string(document::text_at(reference, {"workloadName"})), reference.mark()), {}},
      {"podGroupTemplateName",
       Value(std::string(document::text_at(reference, {"templateName"})), reference.mark()),
       {}}};
  return Value(Object{{"workload", Value(std::move(workload), reference.mark()), {}}}, reference.mark());
}

Value older_spec(const Value& spec) {
  Object older;
  for (const document::Member& field : spec.object()) {
    if (field.key == "preemptionPolicy" || field.key == "parentCompositePodGroupName") continue;
    if (field.key == "workloadRef" && field.value.is_object()) {
      older.push_back({"podGroupTemplateRef", older_reference(field.value), field.mark});
    } else if (field.key == "disruptionMode" && field.value.is_object()) {
      const std::string_view mode = field.value.find("all") != nullptr ? "PodGroup" : "Pod";
      older.push_back({"disruptionMode", Value(std::string(mode), field.value.mark()), field.mark});
    } else {
      older.push_back(field);
    }
  }
  return Value(std::move(older), spec.mark());
}

Value older_conditions(const Value& conditions) {
  Array older;
  for (const Value& condition : conditions.array()) {
    const bool is_renamed = document::text_at(condition, {"type"}) == "PodGroupInitiallyScheduled";
    older.push_back(is_renamed ? condition.with("type", Value(std::string("PodGroupScheduled"))) : condition);
  }
  return Value(std::move(older), conditions.mark());
}

}  // namespace

bool is_newer_pod_group(std::string_view api_version, std::string_view kind) {
  return kind == "PodGroup" && std::ranges::find(kNewerPodGroupVersions, api_version) != kNewerPodGroupVersions.end();
}

Value as_older_pod_group(const Value& group) {
  const Value* version = group.find("apiVersion");
  const document::Mark mark = version == nullptr ? group.mark() : version->mark();
  Value older = group.with("apiVersion", Value(std::string(kOlder), mark));
  const Value* spec = group.find("spec");
  if (spec != nullptr && spec->is_object()) older = std::move(older).with("spec", older_spec(*spec));
  const Value* conditions = document::find_at(group, {"status", "conditions"});
  if (conditions != nullptr && conditions->is_array()) {
    older = document::with_at(std::move(older), {"status", "conditions"}, older_conditions(*conditions));
  }
  return older;
}

}  // namespace loadline::kube

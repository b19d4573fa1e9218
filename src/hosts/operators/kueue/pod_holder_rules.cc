#include "hosts/operators/kueue/pod_holder_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "hosts/operators/kueue/configuration.h"
#include "hosts/operators/kueue/management.h"
#include "hosts/operators/kueue/pod_group.h"
#include "hosts/watching/observe.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/webhooks.h"
#include "objects/kube/kueue/workload.h"

namespace loadline::operators::kueue {
namespace {

using apiserver::CheckedField;
using document::Value;

constexpr std::string_view kIsFixed = "field is immutable";

CheckedField label_of_holder(const CheckedField& whole, std::string_view name) {
  return whole.at({"metadata", "labels"}).key(name);
}

bool are_objects(const Value& value) {
  return value.is_array() && !value.array().empty() && value.array().front().is_object();
}

bool is_nothing(const Value& value) {
  return value.is_null() || (value.is_array() && value.array().empty()) ||
         (value.is_object() && value.object().empty());
}

void check_same_values(const Value& before, const Value& after, const std::string& path, const CheckedField& whole) {
  if (before == after || (is_nothing(before) && is_nothing(after))) return;
  whole.called(path).invalid(after, kIsFixed);
}

/// Containers are compared one by one, and of each what it asks for; all else as a whole.
void check_same_fields(const Value& before, const Value& after, const std::string& path, const CheckedField& whole) {
  std::set<std::string> names;
  for (const Value* each : {&before, &after}) {
    for (const auto& member : each->object()) names.insert(member.key);
  }
  for (const std::string& name : names) {
    const std::string place = fmt::format("{}.{}", path, name);
    const Value old_value = document::value_at(before, {name});
    const Value value = document::value_at(after, {name});
    if (name == "resources" && old_value.is_object() && value.is_object()) {
      check_same_fields(old_value, value, place, whole);
    } else if (name.ends_with("ontainers") && are_objects(value) && are_objects(old_value) &&
               value.array().size() == old_value.array().size()) {
      for (std::size_t i = 0; i < value.array().size(); ++i) {
        check_same_fields(old_value.array()[i], value.array()[i], fmt::format("{}[{}]", place, i), whole);
      }
    } else {
      check_same_values(old_value, value, place, whole);
    }
  }
}

}  // namespace

tl::expected<bool, std::string> holds_pods(const KnownObjects& objects, const kube::KueueConfiguration& configuration,
                                           std::string_view framework, const Value& object) {
  if (!has_queues(objects) || !manages(configuration, framework)) return false;
  if (!document::text_at(object, {"metadata", "deletionTimestamp"}).empty()) return false;
  if (!selects_namespace(objects, configuration, document::text_at(object, {"metadata", "namespace"}))) return false;
  return is_created_suspended(objects, configuration, object);
}

void check_pod_holder(const CheckedField& whole, std::string_view gvk) {
  const CheckedField queue = label_of_holder(whole, kube::kQueueName);
  if (queue.is_set()) {
    std::vector<std::string> problems;
    for (const auto& problem : kube::dns_subdomain_problems(queue.text())) problems.emplace_back(problem);
    if (!problems.empty()) queue.invalid(fmt::format("{}", fmt::join(problems, ",")));
  }
  const CheckedField elastic = whole.at({"metadata", "annotations"}).key(kube::kElasticJobAnnotation);
  if (elastic.text() == "true") elastic.forbidden(fmt::format("elastic job is not supported for \"{}\"", gvk));
  whole.append(kube::admission_gate_refusals(watching::read_metadata(whole.value())));
}

void check_pod_holder_change(const Value& before, const CheckedField& whole, bool is_running) {
  const CheckedField queue = label_of_holder(whole, kube::kQueueName);
  if ((is_running || queue.text().empty()) && queue.text() != queue_label(before)) {
    queue.invalid(Value(queue.text()), kIsFixed);
  }
  const CheckedField priority = label_of_holder(whole, kube::kWorkloadPriorityClassLabel);
  const bool had_one = !document::text_at(before, {"metadata", "labels", kube::kWorkloadPriorityClassLabel}).empty();
  if (is_running && !had_one && !priority.text().empty()) {
    priority.invalid("WorkloadPriorityClass cannot be added to a non-suspended workload");
  } else if (had_one && priority.text().empty()) {
    priority.invalid(Value(""), "WorkloadPriorityClass cannot be removed from a workload");
  }
  whole.append(kube::admission_gate_refusals(watching::read_metadata(before), watching::read_metadata(whole.value())));
}

void check_same_shape(const Value& before, const Value& after, const std::string& path, const CheckedField& whole) {
  check_same_fields(shape_of_pod_spec(before), shape_of_pod_spec(after), path, whole);
}

}  // namespace loadline::operators::kueue

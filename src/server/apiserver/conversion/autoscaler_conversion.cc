#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/go_json.h"
#include "foundation/document/reader.h"
#include "server/apiserver/conversion/autoscaler_metrics.h"
#include "server/apiserver/conversion/conversion.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr std::string_view kMetrics = "autoscaling.alpha.kubernetes.io/metrics";
constexpr std::string_view kCurrentMetrics = "autoscaling.alpha.kubernetes.io/current-metrics";
constexpr std::string_view kConditions = "autoscaling.alpha.kubernetes.io/conditions";
constexpr std::string_view kBehavior = "autoscaling.alpha.kubernetes.io/behavior";
/// What v1 keeps of v2; clients cannot set any of them.
constexpr std::array kAnnotations = {kMetrics,
                                     kBehavior,
                                     std::string_view("autoscaling.alpha.kubernetes.io/scale-down-tolerance"),
                                     std::string_view("autoscaling.alpha.kubernetes.io/scale-up-tolerance"),
                                     kCurrentMetrics,
                                     kConditions};
constexpr std::int64_t kDefaultUtilization = 80;  // percent of the CPU that pods ask for

/// Null and absent are the same.
const Value* find(const Value& object, document::Names names) {
  const Value* found = document::find_at(object, names);
  return found == nullptr || found->is_null() ? nullptr : found;
}

const Array& elements(const Value& object, document::Names names) {
  static const auto* const none = new Array();
  const Value* found = find(object, names);
  return found != nullptr && found->is_array() ? found->array() : *none;
}

/// Takes members over as they are, those that are there.
void copy(Object& to, const Value& from, document::Names members) {
  for (const std::string_view member : members) {
    if (const Value* value = find(from, {member})) to.push_back({std::string(member), *value, {}});
  }
}

void copy_count(Object& to, const Value& from, std::string_view member) {
  const Value* value = find(from, {member});
  to.push_back({std::string(member), value == nullptr ? Value(std::int64_t{0}) : *value, {}});
}

/// The JSON in an annotation; null if there is none, or it is none.
Value annotation_of(const Value& object, std::string_view name) {
  const Value* text = find(object, {"metadata", "annotations", name});
  if (text == nullptr || !text->is_string()) return {};
  const document::Reading reading = document::read_json(text->string(), {});
  return reading.documents.size() == 1 && reading.problems.empty() ? reading.documents.front() : Value();
}

/// A list of metrics or conditions, as far as can be told here.
bool is_list_of_typed(const Value& value) {
  return value.is_array() && std::all_of(value.array().begin(), value.array().end(), [](const Value& element) {
           const Value* type = element.find("type");
           return type != nullptr && type->is_string();
         });
}

Value without_own_annotations(Value object) {
  for (const std::string_view name : kAnnotations) {
    object = document::without_at(object, {"metadata", "annotations", name});
  }
  const Value* left = find(object, {"metadata", "annotations"});
  const bool is_empty = left != nullptr && left->is_object() && left->object().empty();
  return is_empty ? document::without_at(object, {"metadata", "annotations"}) : object;
}

Value with_annotation(const Value& object, std::string_view name, const Value& value) {
  return document::with_at(object, {"metadata", "annotations", name}, Value(document::write_go_json(value)));
}

// The behaviour is kept as Go's internal type is written: names in upper case, and everything there.

std::string with_first(std::string name, int (*change)(int)) {
  if (!name.empty()) name[0] = static_cast<char>(change(static_cast<unsigned char>(name[0])));
  return name;
}

Value written_behavior(const Value& behavior) {
  const auto member = [](const Value& of, std::string_view name) {
    const Value* found = find(of, {name});
    return found == nullptr ? Value() : *found;
  };
  Object directions;
  for (const std::string_view direction : {"scaleUp", "scaleDown"}) {
    const Value rules = member(behavior, direction);
    Value written;
    if (rules.is_object()) {
      Value policies = member(rules, "policies");
      if (policies.is_array()) {
        Array changed;
        for (const Value& policy : policies.array()) {
          changed.emplace_back(Object{{"Type", member(policy, "type"), {}},
                                      {"Value", member(policy, "value"), {}},
                                      {"PeriodSeconds", member(policy, "periodSeconds"), {}}});
        }
        policies = Value(std::move(changed));
      }
      written = Value(Object{{"StabilizationWindowSeconds", member(rules, "stabilizationWindowSeconds"), {}},
                             {"SelectPolicy", member(rules, "selectPolicy"), {}},
                             {"Policies", std::move(policies), {}},
                             {"Tolerance", member(rules, "tolerance"), {}}});
    }
    directions.push_back({with_first(std::string(direction), std::toupper), std::move(written), {}});
  }
  return Value(std::move(directions));
}

/// The same with names as the API has them, and without what is null. Depth is that of the document.
Value read_behavior(const Value& value) {
  if (value.is_array()) {
    Array changed;
    for (const Value& element : value.array()) changed.push_back(read_behavior(element));
    return Value(std::move(changed));
  }
  if (!value.is_object()) return value;
  Object changed;
  for (const document::Member& member : value.object()) {
    if (member.value.is_null()) continue;
    changed.push_back({with_first(member.key, std::tolower), read_behavior(member.value), {}});
  }
  return Value(std::move(changed));
}

/// A metric that v1 has a field for.
const Value* utilization_of(const Value& metric, std::string_view which) {
  const bool is_cpu =
      document::text_at(metric, {"type"}) == "Resource" && document::text_at(metric, {"resource", "name"}) == "cpu";
  return is_cpu ? find(metric, {"resource", which, "averageUtilization"}) : nullptr;
}

Value processor_metric(std::string_view which, const Value& utilization) {
  Object values;
  if (which == "target") values.push_back({"type", Value("Utilization"), {}});
  values.push_back({"averageUtilization", utilization, {}});
  return Value(Object{
      {"type", Value("Resource"), {}},
      {"resource", Value(Object{{"name", Value("cpu"), {}}, {std::string(which), Value(std::move(values)), {}}}), {}}});
}

Value flat_specification(const Value& spec) {
  Object members;
  copy(members, spec, {"scaleTargetRef", "minReplicas", "maxReplicas"});
  for (const Value& metric : elements(spec, {"metrics"})) {
    const Value* utilization = utilization_of(metric, "target");
    if (utilization == nullptr) continue;
    members.push_back({"targetCPUUtilizationPercentage", *utilization, {}});
    break;
  }
  return Value(std::move(members));
}

Value flat_status(const Value& status) {
  Object members;
  copy(members, status, {"observedGeneration", "lastScaleTime"});
  copy_count(members, status, "currentReplicas");
  copy_count(members, status, "desiredReplicas");
  const Value* utilization = nullptr;
  for (const Value& metric : elements(status, {"currentMetrics"})) {
    if (const Value* found = utilization_of(metric, "current")) utilization = found;
  }
  if (utilization != nullptr) members.push_back({"currentCPUUtilizationPercentage", *utilization, {}});
  return Value(std::move(members));
}

/// What v1 has no field for, in annotations.
Value with_annotations_of(Value result, const Value& object) {
  Array others;
  for (const Value& metric : elements(object, {"spec", "metrics"})) {
    if (utilization_of(metric, "target") == nullptr) others.push_back(flat_metric(metric));
  }
  if (!others.empty()) result = with_annotation(result, kMetrics, Value(std::move(others)));
  Array current;
  for (const Value& metric : elements(object, {"status", "currentMetrics"})) {
    current.push_back(flat_metric_status(metric));
  }
  if (!current.empty()) result = with_annotation(result, kCurrentMetrics, Value(std::move(current)));
  if (const Value* behavior = find(object, {"spec", "behavior"}); behavior != nullptr && behavior->is_object()) {
    result = with_annotation(result, kBehavior, written_behavior(*behavior));
  }
  if (const Array& conditions = elements(object, {"status", "conditions"}); !conditions.empty()) {
    result = with_annotation(result, kConditions, Value(conditions));
  }
  return result;
}

Value to_v1(const Value& object) {
  Value result = without_own_annotations(object);
  if (const Value* spec = find(object, {"spec"})) result = result.with("spec", flat_specification(*spec));
  if (const Value* status = find(object, {"status"})) result = result.with("status", flat_status(*status));
  return with_annotations_of(std::move(result), object);
}

Array metrics_of(const Value& object) {
  Array metrics;
  if (const Value others = annotation_of(object, kMetrics); is_list_of_typed(others)) {
    for (const Value& metric : others.array()) metrics.push_back(nested_metric(metric));
  }
  if (const Value* utilization = find(object, {"spec", "targetCPUUtilizationPercentage"})) {
    metrics.push_back(processor_metric("target", *utilization));
  }
  if (metrics.empty()) metrics.push_back(processor_metric("target", Value(kDefaultUtilization)));
  return metrics;
}

Value nested_specification(const Value& object) {
  Object members;
  if (const Value* spec = find(object, {"spec"}))
    copy(members, *spec, {"scaleTargetRef", "minReplicas", "maxReplicas"});
  members.push_back({"metrics", Value(metrics_of(object)), {}});
  const Value behavior = read_behavior(annotation_of(object, kBehavior));
  if (behavior.is_object() && !behavior.object().empty()) members.push_back({"behavior", behavior, {}});
  return Value(std::move(members));
}

Value nested_status(const Value& object) {
  const Value* status = find(object, {"status"});
  const Value given = status == nullptr ? Value(Object()) : *status;
  Object members;
  copy(members, given, {"observedGeneration", "lastScaleTime"});
  if (const Value* replicas = find(given, {"currentReplicas"});
      replicas != nullptr && *replicas != Value(std::int64_t{0})) {
    members.push_back({"currentReplicas", *replicas, {}});
  }
  copy_count(members, given, "desiredReplicas");
  Array current;
  if (const Value kept = annotation_of(object, kCurrentMetrics); is_list_of_typed(kept)) {
    for (const Value& metric : kept.array()) current.push_back(nested_metric_status(metric));
  } else if (const Value* utilization = find(given, {"currentCPUUtilizationPercentage"})) {
    current.push_back(processor_metric("current", *utilization));
  }
  members.push_back({"currentMetrics", current.empty() ? Value() : Value(std::move(current)), {}});
  if (const Value conditions = annotation_of(object, kConditions);
      is_list_of_typed(conditions) && !conditions.array().empty()) {
    members.push_back({"conditions", conditions, {}});
  }
  return Value(std::move(members));
}

}  // namespace

Value convert_autoscaler(const Value& object, std::string_view version) {
  if (version == "v1") return to_v1(object);
  return without_own_annotations(object)
      .with("spec", nested_specification(object))
      .with("status", nested_status(object));
}

}  // namespace loadline::apiserver

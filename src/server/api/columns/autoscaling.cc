#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "foundation/base/text.h"
#include "server/api/columns/columns.h"
#include "server/api/columns/formatting.h"
#include "server/api/columns/reading.h"

namespace loadline::api {
namespace {

using document::Value;

constexpr std::array kAutoscalerColumns = {
    kName,
    TableColumn{"Reference", "string", "", "The object that is scaled."},
    TableColumn{"Targets", "string", "", "The metrics: what they are, and what they should be."},
    TableColumn{"MinPods", "string", "", "The least number of pods."},
    TableColumn{"MaxPods", "string", "", "The greatest number of pods."},
    TableColumn{"Replicas", "string", "", "How many pods there are."},
    kAge,
};

constexpr std::string_view kUnknown = "<unknown>";

std::string percent(const Value* value, std::string_view instead) {
  return value == nullptr ? std::string(instead) : scalar_text(value, "") + "%";
}

/// A quantity behind a pointer, as Go prints it.
std::string quantity(const Value* value) { return scalar_text(value, "<nil>"); }

/// A field of what may be absent.
template <class... Names>
const Value* field_of(const Value* object, Names... names) {
  return object == nullptr ? nullptr : at(*object, names...);
}

/// "now/wanted" of a metric of a resource: of its use on average, or of the request in percent.
/// `wanted` and `current` are the parts of the spec and the status that the metric's type names, or null.
std::string resource_metric(const Value* wanted, const Value* current) {
  const std::string name(wanted == nullptr ? "" : text_at(*wanted, "name"));
  if (const Value* average = field_of(wanted, "target", "averageValue")) {
    const Value* now = field_of(current, "current", "averageValue");
    return name + ": " + (current == nullptr ? std::string(kUnknown) : quantity(now)) + "/" + quantity(average);
  }
  const std::string now = percent(field_of(current, "current", "averageUtilization"), kUnknown);
  return name + ": " + now + "/" + percent(field_of(wanted, "target", "averageUtilization"), "<auto>");
}

std::string pods_metric(const Value* wanted, const Value* current) {
  const Value* now = field_of(current, "current", "averageValue");
  return (current == nullptr ? std::string(kUnknown) : quantity(now)) + "/" +
         quantity(field_of(wanted, "target", "averageValue"));
}

/// Of an object inside or outside of the cluster.
std::string value_metric(const Value* wanted, const Value* current) {
  if (const Value* average = field_of(wanted, "target", "averageValue")) {
    return scalar_text(field_of(current, "current", "averageValue"), kUnknown) + "/" + quantity(average) + " (avg)";
  }
  const Value* now = field_of(current, "current", "value");
  return (current == nullptr ? std::string(kUnknown) : quantity(now)) + "/" +
         quantity(field_of(wanted, "target", "value"));
}

/// How one type of metric is named in a document, and shown.
struct MetricForm {
  std::string_view type;
  std::string_view field;
  std::string (*text)(const Value* wanted, const Value* current);
};

constexpr std::array<MetricForm, 5> kForms = {{
    {"Resource", "resource", resource_metric},
    {"ContainerResource", "containerResource", resource_metric},
    {"Pods", "pods", pods_metric},
    {"Object", "object", value_metric},
    {"External", "external", value_metric},
}};

std::string metric(const Value& spec, const Value* status) {
  for (const MetricForm& form : kForms) {
    if (form.type == text_at(spec, "type")) return form.text(at(spec, form.field), field_of(status, form.field));
  }
  return "<unknown type>";
}

/// The first two metrics, and how many there are beyond.
std::string metrics(const Value& autoscaler) {
  constexpr std::size_t kShown = 2;
  const auto specs = elements_at(autoscaler, "spec", "metrics");
  const auto statuses = elements_at(autoscaler, "status", "currentMetrics");
  if (specs.empty()) return "<none>";
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(specs.size(), kShown); ++i) {
    texts.push_back(metric(specs[i], i < statuses.size() ? &statuses[i] : nullptr));
  }
  const std::string text = joined(texts, ", ");
  return specs.size() > kShown ? text + " + " + std::to_string(specs.size() - kShown) + " more..." : text;
}

/// Version 1 knows one metric only, in fields of its own.
std::string targets(const Value& autoscaler) {
  const Value* wanted = at(autoscaler, "spec", "targetCPUUtilizationPercentage");
  if (wanted == nullptr) return metrics(autoscaler);
  const Value* now = at(autoscaler, "status", "currentCPUUtilizationPercentage");
  return "cpu: " + percent(now, kUnknown) + "/" + percent(wanted, "<auto>");
}

void write_autoscaler(const Value& object, CellWriter& cells) {
  const std::string kind(text_at(object, "spec", "scaleTargetRef", "kind"));
  cells.text(name_of(object));
  cells.text(kind + "/" + std::string(text_at(object, "spec", "scaleTargetRef", "name")));
  cells.text(targets(object));
  cells.text(scalar_text(at(object, "spec", "minReplicas"), "<unset>"));
  cells.integer(integer_at(object, "spec", "maxReplicas"));
  cells.integer(integer_at(object, "status", "currentReplicas"));
  cells.age(object);
}

constexpr std::array kScaleColumns = {
    TableColumn{"Name", "string", "", "The name of the object that is scaled."},
    TableColumn{"Desired", "integer", "", "How many pods are wanted."},
    TableColumn{"Available", "integer", "", "How many pods there are."},
    kAge,
};

void write_scale(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.integer(integer_at(object, "spec", "replicas"));
  cells.integer(integer_at(object, "status", "replicas"));
  cells.age(object);
}

constexpr std::array kAutoscalingKinds = {
    KindColumns{"autoscaling", "HorizontalPodAutoscaler", kAutoscalerColumns, write_autoscaler},
    KindColumns{"autoscaling", "Scale", kScaleColumns, write_scale},
};

}  // namespace

std::span<const KindColumns> autoscaling_columns() { return kAutoscalingKinds; }

}  // namespace loadline::api

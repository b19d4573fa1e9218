#include "server/apiserver/conversion/autoscaler_metrics.h"

#include <array>
#include <span>
#include <string_view>

#include "foundation/base/contract.h"
#include "foundation/document/at.h"

namespace loadline::apiserver {
namespace {

using document::Object;
using document::Value;

/// What v1 writes for a field that it cannot leave out.
enum class Absent : std::uint8_t { kLeftOut, kEmptyText, kZero, kEmptyObject };

/// A field of a metric's source: what v1 calls it, and where v2 has it.
struct Field {
  std::string_view flat;
  std::string_view outer;  ///< empty: `inner` is a find_member of the source itself
  std::string_view inner;  ///< empty: all of `outer`
  Absent absent = Absent::kLeftOut;
};

constexpr std::array kObject = {
    Field{"target", "describedObject", "", Absent::kEmptyObject},
    Field{"metricName", "metric", "name", Absent::kEmptyText},
    Field{"targetValue", "target", "value", Absent::kZero},
    Field{"selector", "metric", "selector"},
    Field{"averageValue", "target", "averageValue"},
};
constexpr std::array kPods = {
    Field{"metricName", "metric", "name", Absent::kEmptyText},
    Field{"targetAverageValue", "target", "averageValue", Absent::kZero},
    Field{"selector", "metric", "selector"},
};
constexpr std::array kResourceFields = {
    Field{"name", "", "name", Absent::kEmptyText},
    Field{"targetAverageUtilization", "target", "averageUtilization"},
    Field{"targetAverageValue", "target", "averageValue"},
};
constexpr std::array kContainerResource = {
    Field{"name", "", "name", Absent::kEmptyText},
    Field{"targetAverageUtilization", "target", "averageUtilization"},
    Field{"targetAverageValue", "target", "averageValue"},
    Field{"container", "", "container", Absent::kEmptyText},
};
constexpr std::array kExternal = {
    Field{"metricName", "metric", "name", Absent::kEmptyText},
    Field{"metricSelector", "metric", "selector"},
    Field{"targetValue", "target", "value"},
    Field{"targetAverageValue", "target", "averageValue"},
};

constexpr std::array kObjectStatus = {
    Field{"target", "describedObject", "", Absent::kEmptyObject},
    Field{"metricName", "metric", "name", Absent::kEmptyText},
    Field{"currentValue", "current", "value", Absent::kZero},
    Field{"selector", "metric", "selector"},
    Field{"averageValue", "current", "averageValue"},
};
constexpr std::array kPodsStatus = {
    Field{"metricName", "metric", "name", Absent::kEmptyText},
    Field{"currentAverageValue", "current", "averageValue", Absent::kZero},
    Field{"selector", "metric", "selector"},
};
constexpr std::array kResourceStatus = {
    Field{"name", "", "name", Absent::kEmptyText},
    Field{"currentAverageUtilization", "current", "averageUtilization"},
    Field{"currentAverageValue", "current", "averageValue", Absent::kZero},
};
constexpr std::array kContainerResourceStatus = {
    Field{"name", "", "name", Absent::kEmptyText},
    Field{"currentAverageUtilization", "current", "averageUtilization"},
    Field{"currentAverageValue", "current", "averageValue", Absent::kZero},
    Field{"container", "", "container", Absent::kEmptyText},
};
constexpr std::array kExternalStatus = {
    Field{"metricName", "metric", "name", Absent::kEmptyText},
    Field{"metricSelector", "metric", "selector"},
    Field{"currentValue", "current", "value", Absent::kZero},
    Field{"currentAverageValue", "current", "averageValue"},
};

/// The sources that a metric can have, in the order in which both versions write them.
struct Source {
  std::string_view name;
  std::span<const Field> fields;
};
constexpr std::array<Source, 5> kSources = {{{"object", kObject},
                                             {"pods", kPods},
                                             {"resource", kResourceFields},
                                             {"containerResource", kContainerResource},
                                             {"external", kExternal}}};
constexpr std::array<Source, 5> kStatusSources = {{{"object", kObjectStatus},
                                                   {"pods", kPodsStatus},
                                                   {"resource", kResourceStatus},
                                                   {"containerResource", kContainerResourceStatus},
                                                   {"external", kExternalStatus}}};

/// Null and absent are the same.
const Value* find_member(const Value& object, std::string_view name) {
  const Value* found = object.find(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

const Value* nested(const Value& source, const Field& field) {
  if (field.outer.empty()) return find_member(source, field.inner);
  const Value* outer = find_member(source, field.outer);
  return outer == nullptr || field.inner.empty() ? outer : find_member(*outer, field.inner);
}

Value flat_source(const Value& source, std::span<const Field> fields) {
  Object members;
  const auto add = [&](std::string_view name, Value value) {
    members.push_back({std::string(name), std::move(value), {}});
  };
  for (const Field& field : fields) {
    if (const Value* value = nested(source, field)) {
      add(field.flat, *value);
      continue;
    }
    if (field.absent == Absent::kEmptyText) add(field.flat, Value(""));
    if (field.absent == Absent::kZero) add(field.flat, Value("0"));
    if (field.absent == Absent::kEmptyObject) {
      add(field.flat, Value(Object{{"kind", Value(""), {}}, {"name", Value(""), {}}}));
    }
  }
  return Value(std::move(members));
}

Value nested_source(const Value& source, std::span<const Field> fields) {
  Value result{Object()};
  for (const Field& field : fields) {
    const Value* value = find_member(source, field.flat);
    if (value == nullptr) continue;
    if (field.outer.empty()) {
      result = result.with(field.inner, *value);
    } else if (field.inner.empty()) {
      result = result.with(field.outer, *value);
    } else {
      result = document::with_at(result, {field.outer, field.inner}, *value);
    }
  }
  return result;
}

/// The amounts of a target, or of what is, in the order in which v2 writes them.
Value with_ordered_amounts(const Value& source) {
  Object members = source.object();
  for (document::Member& find_member : members) {
    if (find_member.key != "target" && find_member.key != "current") continue;
    Object ordered;
    for (const std::string_view name : {"type", "value", "averageValue", "averageUtilization"}) {
      const Value* amount = find_member.value.find(name);
      if (amount != nullptr) ordered.push_back({std::string(name), *amount, {}});
    }
    find_member.value = Value(std::move(ordered));
  }
  return Value(std::move(members));
}

template <class Convert>
Value converted(const Value& metric, std::span<const Source> sources, const Convert& convert) {
  Object members;
  const Value* type = find_member(metric, "type");
  members.push_back({"type", type == nullptr ? Value("") : *type, {}});
  for (const Source& source : sources) {
    const Value* found = find_member(metric, source.name);
    if (found == nullptr || !found->is_object()) continue;
    members.push_back({std::string(source.name), convert(*found, source), {}});
  }
  return Value(std::move(members));
}

bool is_zero(const Value& quantity) {
  if (quantity.is_integer()) return quantity.integer() == 0;
  return quantity.is_string() && quantity.string() == "0";
}

/// v1 does not say which of the values counts.
Value with_target_type(Value source, std::string_view name) {
  const Value* value = document::find_at(source, {"target", "value"});
  const Value* average = document::find_at(source, {"target", "averageValue"});
  const Value* utilization = document::find_at(source, {"target", "averageUtilization"});
  std::string_view type = "AverageValue";
  if (name == "object") {
    if (average == nullptr) type = "Value";
    // The flat form cannot leave the value out.
    if (average != nullptr && value != nullptr && is_zero(*value)) {
      source = document::without_at(source, {"target", "value"});
    }
  } else if (name == "external") {
    if (value != nullptr) type = "Value";
  } else if (utilization != nullptr) {
    type = "Utilization";
  }
  return document::with_at(source, {"target", "type"}, Value(type));
}

}  // namespace

Value flat_metric(const Value& metric) {
  return converted(metric, kSources,
                   [](const Value& value, const Source& source) { return flat_source(value, source.fields); });
}

Value flat_metric_status(const Value& metric) {
  return converted(metric, kStatusSources,
                   [](const Value& value, const Source& source) { return flat_source(value, source.fields); });
}

Value nested_metric(const Value& metric) {
  REQUIRES(metric.is_object());
  return converted(metric, kSources, [](const Value& value, const Source& source) {
    return with_ordered_amounts(with_target_type(nested_source(value, source.fields), source.name));
  });
}

Value nested_metric_status(const Value& metric) {
  REQUIRES(metric.is_object());
  return converted(metric, kStatusSources, [](const Value& value, const Source& source) {
    return with_ordered_amounts(nested_source(value, source.fields));
  });
}

}  // namespace loadline::apiserver

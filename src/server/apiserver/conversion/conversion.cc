#include "server/apiserver/conversion/conversion.h"

#include <array>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"

namespace loadline::apiserver {
namespace {

using document::Object;
using document::Value;

// Fields of the two kinds of events, core/v1 on the left.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kEventFields = {{
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
}};
constexpr std::pair<std::string_view, std::string_view> kEventReporter = {"reportingComponent", "reportingController"};

/// Writes left names for right ones, or the other way round.
Value renamed_event(const Value& event, bool to_core) {
  Object members;
  for (const document::Member& member : event.object()) {
    std::string key = member.key;
    const auto rename = [&](std::string_view core, std::string_view other) {
      if (member.key == (to_core ? other : core)) key = to_core ? core : other;
    };
    for (const auto& [core, other] : kEventFields) rename(core, other);
    rename(kEventReporter.first, kEventReporter.second);
    members.push_back({std::move(key), member.value, {}});
  }
  return Value(std::move(members));
}

/// events.k8s.io leaves out an empty reporter, and core/v1 does not.
Value converted_event(const Value& event, const schema::GroupVersionKind& to) {
  const bool to_core = to.group.empty();
  Value changed = renamed_event(event, to_core);
  for (const std::string_view name :
       {kEventReporter.first, kEventReporter.second, std::string_view("reportingInstance")}) {
    const Value* value = changed.find(name);
    if (!to_core && value != nullptr && value->is_string() && value->string().empty()) changed = changed.without(name);
  }
  if (!to_core) return changed;
  for (const std::string_view name : {"reportingComponent", "reportingInstance"}) {
    if (changed.find(name) == nullptr) changed = changed.with(name, Value(""));
  }
  return changed;
}

}  // namespace

Value convert(const Value& object, const schema::GroupVersionKind& to) {
  const std::string version = to.api_version();
  if (document::text_at(object, {"apiVersion"}) == version) return object;
  if (to.kind == "Event" && (to.group.empty() || to.group == "events.k8s.io")) {
    return converted_event(object, to).with("apiVersion", Value(version));
  }
  if (to.kind == "HorizontalPodAutoscaler" && to.group == "autoscaling") {
    return convert_autoscaler(object, to.version).with("apiVersion", Value(version));
  }
  if (is_of_kueue(to)) return convert_kueue(object, to).with("apiVersion", Value(version));
  return object.with("apiVersion", Value(version));
}

bool has_converter(const schema::GroupVersionKind& kind) { return is_of_kueue(kind); }

}  // namespace loadline::apiserver

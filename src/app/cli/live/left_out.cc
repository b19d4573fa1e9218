#include "app/cli/live/left_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "brain/capacity/gpu_sharing.h"
#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "hosts/operators/kuberay/ray_dashboard.h"
#include "objects/kube/config/scheduler_configuration_reader.h"

namespace loadline::cli {
namespace {

using document::Array;
using document::Member;
using document::Object;
using document::Value;

/// Whether decisions read an entry of a ConfigMap: each reader is asked.
bool is_read(const Value& entry) {
  if (!entry.is_string()) return false;
  const std::string& text = entry.string();
  if (kube::mentions_scheduler_configuration(text)) return true;
  const bool may_share = text.find("sharing") != std::string::npos;  // most need not be parsed
  return may_share && capacity::read_gpu_sharing(text).has_value();
}

/// Containers have such a list, in pods, in templates of whatever depth, and in revisions of these.
bool is_variables(const Member& member) {
  return member.key == "env" && member.value.is_array() &&
         std::ranges::all_of(member.value.array(), [](const Value& each) { return each.find("name") != nullptr; });
}

}  // namespace

Value LeftOut::without(Value object) {
  object = document::without_at(std::move(object),
                                {"metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"});
  if (document::text_at(object, {"kind"}) == "ConfigMap") return without_data(std::move(object));
  return without_values(std::move(object));
}

Value LeftOut::without_values(Value value) {
  if (value.is_array()) {
    Array items;
    items.reserve(value.array().size());
    for (const Value& item : value.array()) items.push_back(without_values(item));
    return Value(std::move(items), value.mark());
  }
  if (!value.is_object()) return value;
  Object members;
  members.reserve(value.object().size());
  for (const Member& member : value.object()) {
    if (!is_variables(member)) {
      members.push_back({member.key, without_values(member.value), member.mark});
      continue;
    }
    Array variables;
    for (const Value& variable : member.value.array()) variables.push_back(without_value(variable));
    members.push_back({member.key, Value(std::move(variables), member.value.mark()), member.mark});
  }
  return Value(std::move(members), value.mark());
}

Value LeftOut::without_value(Value variable) {
  const Value* value = variable.find("value");
  const bool says_nothing = value == nullptr || value->is_null() || (value->is_string() && value->string().empty());
  if (says_nothing) return variable;
  ++variables_;
  const auto [number, is_new] = numbers_.try_emplace(
      {std::string(document::text_at(variable, {"name"})), document::write_json(*value)}, numbers_.size() + 1);
  return std::move(variable).with("value", Value(fmt::format("left out ({})", number->second)));
}

Value LeftOut::without_data(Value config_map) {
  const bool is_said = document::text_at(config_map, {"metadata", "name"}) == operators::kRayDashboard;
  const Value* data = config_map.find("data");
  bool has_lost = config_map.find("binaryData") != nullptr;
  if (data != nullptr && data->is_object() && !is_said) {
    Object entries;
    for (const Member& entry : data->object()) {
      const bool stays = is_read(entry.value) || !entry.value.is_string() || entry.value.string().empty();
      has_lost = has_lost || !stays;
      entries.push_back({entry.key, stays ? entry.value : Value(""), entry.mark});
    }
    config_map = std::move(config_map).with("data", Value(std::move(entries)));
  }
  if (has_lost) ++config_maps_;
  return std::move(config_map).without("binaryData");
}

}  // namespace loadline::cli

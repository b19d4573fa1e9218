#include "hosts/controllers/node_taints.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "foundation/document/at.h"

namespace loadline::controllers {
namespace {

using document::Array;
using document::Object;
using document::Value;

struct ConditionTaint {
  std::string_view condition;
  std::string_view status;
  std::string_view key;
};

constexpr std::string_view kUnschedulableTaint = "node.kubernetes.io/unschedulable";
constexpr std::array<ConditionTaint, 6> kConditionTaints = {{
    {"Ready", "False", kNotReadyTaint},
    {"Ready", "Unknown", kUnreachableTaint},
    {"MemoryPressure", "True", "node.kubernetes.io/memory-pressure"},
    {"DiskPressure", "True", "node.kubernetes.io/disk-pressure"},
    {"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"},
    {"PIDPressure", "True", "node.kubernetes.io/pid-pressure"},
}};

std::set<std::string_view> wanted_no_schedule(const kube::Node& node) {
  std::set<std::string_view> keys;
  for (const kube::Condition& condition : node.conditions) {
    for (const ConditionTaint& taint : kConditionTaints) {
      if (condition.type == taint.condition && condition.status == taint.status) keys.insert(taint.key);
    }
  }
  if (node.unschedulable) keys.insert(kUnschedulableTaint);
  return keys;
}

bool is_ours(const kube::Taint& taint) {
  if (taint.effect == kube::TaintEffect::kNoExecute)
    return taint.key == kNotReadyTaint || taint.key == kUnreachableTaint;
  if (taint.effect != kube::TaintEffect::kNoSchedule) return false;
  return taint.key == kUnschedulableTaint ||
         std::any_of(kConditionTaints.begin(), kConditionTaints.end(),
                     [&](const ConditionTaint& one) { return one.key == taint.key; });
}

Value new_taint(std::string_view key, const char* effect, Instant now) {
  return Value(
      Object{{"effect", Value(effect), {}}, {"key", Value(key), {}}, {"timeAdded", Value(format_rfc3339(now)), {}}});
}

/// The taints as they should be; nothing: as they are.
std::optional<Array> corrected(const Observed<kube::Node>& node, std::string_view eviction, Instant now) {
  std::set<std::string_view> missing = wanted_no_schedule(node.view);
  bool evicts = !eviction.empty();
  bool changed = false;
  Array taints;
  const Value* there = document::find_at(node.document, {"spec", "taints"});
  const std::vector<kube::Taint>& known = node.view.taints;
  for (std::size_t i = 0; i < known.size() && there != nullptr && i < there->array().size(); ++i) {
    const kube::Taint& taint = known[i];
    bool stays = true;
    if (is_ours(taint) && taint.effect == kube::TaintEffect::kNoSchedule) {
      stays = missing.erase(taint.key) > 0;
    } else if (is_ours(taint)) {
      stays = evicts && taint.key == eviction;
      if (stays) evicts = false;
    }
    if (stays) {
      taints.push_back(there->array()[i]);
    } else {
      changed = true;
    }
  }
  for (const std::string_view key : missing) taints.push_back(new_taint(key, "NoSchedule", now));
  if (evicts) taints.push_back(new_taint(eviction, "NoExecute", now));
  changed = changed || !missing.empty() || evicts;
  return changed ? std::optional(std::move(taints)) : std::nullopt;
}

/// Labels under their old names, with the value of the new.
Object missing_labels(const kube::Node& node) {
  Object labels;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kNames = {
      {{"kubernetes.io/os", "beta.kubernetes.io/os"}, {"kubernetes.io/arch", "beta.kubernetes.io/arch"}}};
  for (const auto& [name, old_name] : kNames) {
    const auto value = node.metadata.labels.find(name);
    if (value == node.metadata.labels.end()) continue;
    const auto old_value = node.metadata.labels.find(old_name);
    if (old_value != node.metadata.labels.end() && old_value->second == value->second) continue;
    labels.push_back({std::string(old_name), Value(value->second), {}});
  }
  return labels;
}

}  // namespace

std::string_view eviction_taint(const kube::Node& node) {
  for (const kube::Condition& condition : node.conditions) {
    if (condition.type != "Ready") continue;
    if (condition.status == "False") return kNotReadyTaint;
    if (condition.status == "Unknown") return kUnreachableTaint;
  }
  return {};
}

bool has_taint(const kube::Node& node, std::string_view key, kube::TaintEffect effect) {
  return std::any_of(node.taints.begin(), node.taints.end(),
                     [&](const kube::Taint& taint) { return taint.key == key && taint.effect == effect; });
}

std::optional<Action> correct_taints(const Observed<kube::Node>& node, std::string_view eviction, Instant now) {
  std::optional<Array> taints = corrected(node, eviction, now);
  Object labels = missing_labels(node.view);
  if (!taints && labels.empty()) return std::nullopt;
  Object metadata;
  if (!labels.empty()) metadata.push_back({"labels", Value(std::move(labels)), {}});
  Object change;
  if (taints) {
    metadata.push_back(
        {"resourceVersion", Value(document::text_at(node.document, {"metadata", "resourceVersion"})), {}});
    Value list = taints->empty() ? Value() : Value(std::move(*taints));
    change.push_back({"spec", Value(Object{{"taints", std::move(list), {}}}), {}});
  }
  change.push_back({"metadata", Value(std::move(metadata)), {}});
  return patch(kind_name<kube::Node>(), node.key(), kube::PatchType::kMerge, Value(std::move(change)));
}

}  // namespace loadline::controllers

#include "hosts/scheduler/kai_group_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/watching/identity.h"
#include "objects/kube/encoder.h"
#include "objects/kube/kai/pod_group_schema.h"

namespace loadline::scheduler {
namespace {

using document::Array;
using document::Object;
using document::Value;

std::string node_pool_of(const kube::KaiPodGroup& group) {
  const auto label = group.metadata.labels.find("kai.scheduler/node-pool");
  return label == group.metadata.labels.end() || label->second.empty() ? std::string("default") : label->second;
}

/// -1: it is no number.
std::int32_t number_of(std::string_view transition_id) {
  std::int32_t number = -1;
  const auto [end, error] = std::from_chars(transition_id.data(), transition_id.data() + transition_id.size(), number);
  return error == std::errc() && end == transition_id.data() + transition_id.size() ? number : -1;
}

/// That of the highest number; null: there is none.
const kube::KaiSchedulingCondition* last_of(const kube::KaiPodGroup& group) {
  const auto last = std::ranges::max_element(
      group.scheduling_conditions, {},
      [](const kube::KaiSchedulingCondition& condition) { return number_of(condition.transition_id); });
  return last == group.scheduling_conditions.end() ? nullptr : &*last;
}

kube::KaiSchedulingCondition condition_of(const kube::KaiPodGroup& group, const std::string& why, Instant now) {
  const kube::KaiSchedulingCondition* last = last_of(group);
  const std::int64_t before = last == nullptr ? 0 : std::max(number_of(last->transition_id), 0);
  return {.type = "UnschedulableOnNodePool",
          .node_pool = node_pool_of(group),
          .reason = "Unschedulable",
          .message = kai_message(group, why),
          .status = "True",
          .transition_id = fmt::format("{}", before + 1),
          .last_transition_time = now};
}

/// Whether it is the last condition, by its number and by its place.
bool is_said(const kube::KaiPodGroup& group, const kube::KaiSchedulingCondition& said) {
  const kube::KaiSchedulingCondition* last = last_of(group);
  if (last == nullptr || group.scheduling_conditions.back().node_pool != said.node_pool) return false;
  return last->type == said.type && last->node_pool == said.node_pool && last->reason == said.reason &&
         last->message == said.message && last->status == said.status;
}

/// Other members of the status stay as they are.
watching::Action write(const watching::Observed<kube::KaiPodGroup>& group, Value conditions) {
  Value guard(watching::identity(group));
  Value status(Object{{"schedulingConditions", std::move(conditions), {}}});
  return watching::patch(watching::kind_name<kube::KaiPodGroup>(), group.key(), kube::PatchType::kMerge,
                         Value(Object{{"metadata", std::move(guard), {}}, {"status", std::move(status), {}}}),
                         "status");
}

}  // namespace

std::string kai_message(const kube::KaiPodGroup& group, const std::string& why) {
  if (group.scheduling_backoff != 1) return why;
  return fmt::format("Node-Pool '{}': {}", node_pool_of(group), why);
}

std::vector<watching::Action> say_group_status(const watching::Observed<kube::KaiPodGroup>& group,
                                               const KaiGroupFacts& facts, Instant now) {
  if (!facts.why) {
    if (group.view.scheduling_conditions.empty()) return {};
    return {write(group, Value())};
  }
  const kube::KaiSchedulingCondition condition = condition_of(group.view, *facts.why, now);
  if (is_said(group.view, condition)) return {};
  Array conditions;
  for (const Value& other : document::items_at(group.document, {"status", "schedulingConditions"})) {
    if (document::text_at(other, {"nodePool"}) != condition.node_pool) conditions.push_back(other);
  }
  conditions.push_back(kube::encode_object(kube::kKaiSchedulingConditionSchema, &condition));
  return {write(group, Value(std::move(conditions)))};
}

}  // namespace loadline::scheduler

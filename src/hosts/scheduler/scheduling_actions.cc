#include "hosts/scheduler/scheduling_actions.h"

#include <fmt/format.h>

#include <utility>

#include "objects/kube/condition.h"
#include "objects/kube/loadline/reservation.h"

namespace loadline::scheduler {

using document::Array;
using document::Object;
using document::Value;
using watching::Action;
using watching::Event;
using watching::kind_name;
using watching::Observed;

namespace {

const watching::KindName& pods() { return kind_name<kube::Pod>(); }

/// A condition as a status patch has it: the time moves only if the status does.
Value condition(const Observed<kube::Pod>& pod, std::string_view type, std::string_view status, std::string_view reason,
                const std::string& message, Instant now) {
  Object result{{"type", Value(type), {}},
                {"status", Value(status), {}},
                {"reason", Value(reason), {}},
                {"message", Value(message), {}}};
  result.push_back({"observedGeneration", Value(pod.metadata().generation), {}});
  result.push_back({"lastProbeTime", Value(), {}});
  const kube::Condition* before = kube::find_condition(pod.view.status.conditions, type);
  if (before == nullptr || before->status != status) {
    result.push_back({"lastTransitionTime", Value(format_rfc3339(now)), {}});
  }
  return Value(std::move(result));
}

Action patch_status(const Observed<kube::Pod>& pod, Object status) {
  return watching::patch(pods(), pod.key(), kube::PatchType::kStrategic,
                         Value(Object{{"metadata", Value(Object{{"uid", Value(pod.metadata().uid), {}}}), {}},
                                      {"status", Value(std::move(status)), {}}}),
                         "status");
}

}  // namespace

Action bind(const Observed<kube::Pod>& pod, std::string_view node, const kube::StringMap& annotations) {
  Object metadata{{"namespace", Value(pod.metadata().namespace_), {}},
                  {"name", Value(pod.metadata().name), {}},
                  {"uid", Value(pod.metadata().uid), {}}};
  if (!annotations.empty()) {
    Object members;
    for (const auto& [name, value] : annotations) members.push_back({name, Value(value), {}});
    metadata.push_back({"annotations", Value(std::move(members)), {}});
  }
  Action action;
  action.verb = Action::Verb::kCreate;
  action.of = pods().reference(pod.key(), "binding");
  action.document = Value(Object{
      {"apiVersion", Value("v1"), {}},
      {"kind", Value("Binding"), {}},
      {"metadata", Value(std::move(metadata)), {}},
      {"target", Value(Object{{"kind", Value("Node"), {}}, {"name", Value(node), {}}}), {}},
  });
  action.said_when_done = Event{watching::reference_to(pod), Event::Type::kNormal, "Scheduled",
                                fmt::format("Successfully assigned {} to {}", pod.key().to_string(), node)};
  return action;
}

std::vector<Action> say_waiting(const Observed<kube::Pod>& pod, std::string_view reason, const std::string& message,
                                std::string_view nominated_node, Instant now) {
  const kube::Condition* before = kube::find_condition(pod.view.status.conditions, "PodScheduled");
  const bool is_said =
      before != nullptr && before->status == "False" && before->reason == reason && before->message == message;
  const bool is_nominated = pod.view.status.nominated_node_name == nominated_node;
  if (is_said && is_nominated) return {};
  Object status;
  if (!is_said) {
    status.push_back({"conditions", Value(Array{condition(pod, "PodScheduled", "False", reason, message, now)}), {}});
  }
  if (!is_nominated) {
    status.push_back({"nominatedNodeName", nominated_node.empty() ? Value() : Value(nominated_node), {}});
  }
  return {patch_status(pod, std::move(status))};
}

Event failed_scheduling(const Observed<kube::Pod>& pod, const std::string& message) {
  return {watching::reference_to(pod), Event::Type::kWarning, "FailedScheduling", message};
}

Action withdraw_nomination(const Observed<kube::Pod>& pod) {
  return patch_status(pod, {{"nominatedNodeName", Value(), {}}});
}

std::vector<Action> say_group_status(const Observed<kube::PodGroup>& group, const GroupStatus& status, Instant now) {
  kube::MetaCondition said;
  said.type = "PodGroupScheduled";
  said.status = status.is_scheduled ? "True" : "False";
  said.reason = status.reason;
  said.message = status.message;
  said.observed_generation = group.metadata().generation;
  said.last_transition_time = now;
  if (const auto* before = kube::find_condition(group.view.conditions, said.type)) {
    if (before->status == "True" && !status.is_scheduled) return {};
    if (before->status == said.status) said.last_transition_time = before->last_transition_time;
    if (*before == said) return {};
  }
  const Object condition{{"type", Value(said.type), {}},
                         {"status", Value(said.status), {}},
                         {"reason", Value(said.reason), {}},
                         {"message", Value(said.message), {}},
                         {"observedGeneration", Value(said.observed_generation), {}},
                         {"lastTransitionTime", Value(format_rfc3339(said.last_transition_time.value_or(now))), {}}};
  return {
      watching::patch(kind_name<kube::PodGroup>(), group.key(), kube::PatchType::kStrategic,
                      Value(Object{{"metadata", Value(Object{{"uid", Value(group.metadata().uid), {}}}), {}},
                                   {"status", Value(Object{{"conditions", Value(Array{Value(condition)}), {}}}), {}}}),
                      "status")};
}

std::vector<std::vector<Action>> evict(const Observed<kube::Pod>& pod, const decision::EvictionFacts& facts,
                                       Instant now) {
  const decision::CauseWords& words = decision::words_of(facts.cause);
  Action deletion = watching::remove(pods(), pod.key(), pod.metadata().uid);
  deletion.said_when_done =
      Event{watching::reference_to(pod), Event::Type::kNormal, std::string(words.event), decision::event_text(facts)};
  Value target = condition(pod, "DisruptionTarget", "True", words.condition, decision::condition_text(facts), now);
  return {{patch_status(pod, {{"conditions", Value(Array{std::move(target)}), {}}})}, {std::move(deletion)}};
}

Event holds_room(const Observed<kube::Pod>& pod, const std::string& message) {
  return {watching::reference_to(pod), Event::Type::kWarning, "HoldsRoom", message};
}

}  // namespace loadline::scheduler

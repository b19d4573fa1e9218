#include "hosts/controllers/job_failure_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace loadline::controllers {
namespace {

using FailureAction = FailureVerdict::Action;

FailureAction action_of(std::string_view word) {
  if (word == "FailJob") return FailureAction::kFailJob;
  if (word == "FailIndex") return FailureAction::kFailIndex;
  if (word == "Ignore") return FailureAction::kIgnore;
  return word == "Count" ? FailureAction::kCount : FailureAction::kNone;
}

bool matches(const kube::PodFailurePolicyOnExitCodes& rule, const kube::ContainerStatus& container) {
  if (!container.state.terminated || container.state.terminated->exit_code == 0) return false;
  if (rule.container_name && *rule.container_name != container.name) return false;
  const bool listed =
      std::find(rule.values.begin(), rule.values.end(), container.state.terminated->exit_code) != rule.values.end();
  return rule.operator_ == "In" ? listed : rule.operator_ == "NotIn" && !listed;
}

const kube::ContainerStatus* find_match(const kube::PodFailurePolicyOnExitCodes& rule, const kube::Pod& pod) {
  for (const auto* statuses : {&pod.status.container_statuses, &pod.status.init_container_statuses}) {
    for (const kube::ContainerStatus& container : *statuses) {
      if (matches(rule, container)) return &container;
    }
  }
  return nullptr;
}

const kube::Condition* find_match(const std::vector<kube::PodFailurePolicyOnPodCondition>& patterns,
                                  const kube::Pod& pod) {
  for (const kube::Condition& condition : pod.status.conditions) {
    for (const kube::PodFailurePolicyOnPodCondition& pattern : patterns) {
      if (condition.type == pattern.type && condition.status == pattern.status) return &condition;
    }
  }
  return nullptr;
}

/// Why the rule matches, as the Job's condition says it; nothing: it does not.
std::optional<std::string> reason_of(const kube::PodFailurePolicyRule& rule, const kube::Pod& pod, std::size_t index) {
  const kube::ObjectMeta& metadata = pod.metadata;
  if (rule.on_exit_codes) {
    const kube::ContainerStatus* container = find_match(*rule.on_exit_codes, pod);
    if (container == nullptr) return std::nullopt;
    return fmt::format("Container {} for pod {}/{} failed with exit code {} matching {} rule at index {}",
                       container->name, metadata.namespace_, metadata.name, container->state.terminated->exit_code,
                       rule.action, index);
  }
  const kube::Condition* condition = find_match(rule.on_pod_conditions, pod);
  if (condition == nullptr) return std::nullopt;
  return fmt::format("Pod {}/{} has condition {} matching {} rule at index {}", metadata.namespace_, metadata.name,
                     condition->type, rule.action, index);
}

}  // namespace

FailureVerdict judge_failure(const std::optional<kube::PodFailurePolicy>& policy, const kube::Pod& pod) {
  if (!policy) return {};
  for (std::size_t index = 0; index < policy->rules.size(); ++index) {
    const kube::PodFailurePolicyRule& rule = policy->rules[index];
    const FailureAction action = action_of(rule.action);
    if (action == FailureAction::kNone) continue;
    if (auto reason = reason_of(rule, pod, index)) return {action, std::move(*reason)};
  }
  return {};
}

}  // namespace loadline::controllers

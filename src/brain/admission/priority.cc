#include "brain/admission/priority.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace loadline::admission {
namespace {

std::string_view policy_text(kube::PreemptionPolicy policy) {
  return policy == kube::PreemptionPolicy::kNever ? "Never" : "PreemptLowerPriority";
}

Rejection priority_rejection(std::string_view class_name, std::string complaint) {
  return {Plugin::kPriority, {std::string(class_name)}, {std::move(complaint)}};
}

}  // namespace

PriorityClasses::PriorityClasses(const std::vector<kube::PriorityClass>& written) {
  const kube::PriorityClass* marked = nullptr;
  for (const kube::PriorityClass& item : written) {
    classes_.insert_or_assign(item.metadata.name, Class{item.value, item.preemption_policy});
    if (item.global_default && (marked == nullptr || item.value < marked->value)) marked = &item;
  }
  if (marked != nullptr) default_name_ = marked->metadata.name;
  classes_.try_emplace("system-cluster-critical", Class{2'000'000'000, kube::PreemptionPolicy::kPreemptLowerPriority});
  classes_.try_emplace("system-node-critical", Class{2'000'001'000, kube::PreemptionPolicy::kPreemptLowerPriority});
}

std::optional<Rejection> PriorityClasses::resolve(PodPriority& asked) const {
  const std::string name = asked.class_name.empty() ? default_name_ : asked.class_name;
  Class chosen{0, kube::PreemptionPolicy::kPreemptLowerPriority};
  if (!name.empty()) {
    const auto found = classes_.find(name);
    if (found == classes_.end()) {
      return priority_rejection(name, fmt::format("no PriorityClass with name {} was found", name));
    }
    chosen = found->second;
  }
  if (asked.value && *asked.value != chosen.value) {
    return priority_rejection(
        name, fmt::format("the integer value of priority ({}) must not be provided in pod spec; priority "
                          "admission controller computed {} from the given PriorityClass name",
                          *asked.value, chosen.value));
  }
  if (chosen.preemption_policy && asked.preemption_policy && *asked.preemption_policy != *chosen.preemption_policy) {
    return priority_rejection(
        name, fmt::format("the string value of PreemptionPolicy ({}) must not be provided in pod spec; priority "
                          "admission controller computed {} from the given PriorityClass name",
                          policy_text(*asked.preemption_policy), policy_text(*chosen.preemption_policy)));
  }
  asked.class_name = name;
  asked.value = chosen.value;
  if (chosen.preemption_policy) asked.preemption_policy = chosen.preemption_policy;
  return std::nullopt;
}

std::optional<Rejection> PriorityClasses::resolve(kube::PodSpec& spec) const {
  PodPriority asked{spec.priority_class_name, spec.priority, spec.preemption_policy};
  if (std::optional<Rejection> rejection = resolve(asked)) return rejection;
  spec.priority_class_name = std::move(asked.class_name);
  spec.priority = asked.value;
  spec.preemption_policy = asked.preemption_policy;
  return std::nullopt;
}

std::optional<std::int32_t> PriorityClasses::value_of(std::string_view class_name) const {
  const auto found = classes_.find(class_name);
  if (found == classes_.end()) return std::nullopt;
  return found->second.value;
}

std::vector<std::string_view> PriorityClasses::names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, each] : classes_) names.push_back(name);
  return names;
}

}  // namespace loadline::admission

#include "hosts/controllers/workload_conditions.h"

#include <utility>

#include "objects/kube/condition.h"

namespace loadline::controllers {

Instant whole_seconds(Instant at) { return {at.nanoseconds - at.nanoseconds % Duration::seconds(1).nanoseconds}; }

void set_condition(std::vector<kube::WorkloadCondition>& conditions, kube::WorkloadCondition condition) {
  const kube::WorkloadCondition* current = kube::find_condition(conditions, condition.type);
  if (current != nullptr && current->status == condition.status) {
    if (current->reason == condition.reason) return;
    condition.last_transition_time = current->last_transition_time;
  }
  remove_condition(conditions, condition.type);
  conditions.push_back(std::move(condition));
}

void remove_condition(std::vector<kube::WorkloadCondition>& conditions, std::string_view type) {
  std::erase_if(conditions, [type](const kube::WorkloadCondition& condition) { return condition.type == type; });
}

}  // namespace loadline::controllers

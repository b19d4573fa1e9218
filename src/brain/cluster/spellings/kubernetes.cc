#include "brain/cluster/spellings/kubernetes.h"

#include <algorithm>
#include <cstdint>

#include "brain/cluster/spellings/later_parts.h"
#include "objects/kube/condition.h"

namespace loadline::cluster::spellings {

GroupDescription describe(const kube::PodGroup& group, SymbolTable& symbols) {
  GroupDescription said;
  said.name_space = group.metadata.namespace_;
  said.group = {GroupSpelling::kKubernetes, group.metadata.name};
  said.uid = group.metadata.uid;
  said.min_count = group.policy.min_count.value_or(0);
  const kube::MetaCondition* scheduled = kube::find_condition(group.conditions, "PodGroupScheduled");
  said.has_started = scheduled != nullptr && scheduled->status == "True";
  // A group has no generation until it is changed, and its second one then.
  constexpr std::int64_t kUnchanged = 1;
  const std::int64_t seen = scheduled == nullptr ? 0 : std::max(scheduled->observed_generation, kUnchanged);
  said.minimum_is_newer = said.has_started && seen < group.metadata.generation;
  if (!group.topology.empty()) said.rules.topology.required = group.topology.front().key;
  said.rules.is_evicted_whole = group.disruption_mode == "PodGroup";
  said.rules.priority_class = group.priority_class_name;
  said.rules.priority = group.priority;
  add_order_of_creation(group.metadata, symbols, said.rules);
  return said;
}

}  // namespace loadline::cluster::spellings

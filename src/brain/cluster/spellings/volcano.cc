#include "brain/cluster/spellings/volcano.h"

#include <fmt/format.h>

#include <utility>

#include "brain/cluster/spellings/later_parts.h"
#include "objects/kube/workload_names.h"

namespace loadline::cluster::spellings {
namespace {

/// The name of the one topology that all HyperNodes make together.
constexpr const char* kHyperNodes = "hypernodes";

/// The level of the HyperNodes that is allowed at most, by the name of its tier or by its number.
TopologyWish wish_of(const kube::VolcanoNetworkTopology& topology) {
  std::string level = topology.highest_tier_name;
  if (level.empty() && topology.highest_tier_allowed) level = fmt::format("{}", *topology.highest_tier_allowed);
  TopologyWish wish;
  wish.topology = kHyperNodes;
  (topology.mode == "soft" ? wish.preferred : wish.required) = std::move(level);
  return wish;
}

/// Each role that has a minimum, unless the minimums of all are more than the group's: then they are not heeded.
void add_roles(const kube::VolcanoPodGroup& group, SymbolTable& symbols, GroupRules& rules) {
  std::int64_t sum = 0;
  for (const auto& [role, least] : group.min_task_member) sum += least;
  if (group.min_member < sum) return;
  for (const auto& [role, least] : group.min_task_member) {
    if (least <= 0) continue;
    SubGroup part;
    part.name = role;
    part.min_count = least;
    part.selector = PodSelector::of_labels({{std::string(kube::kVolcanoTaskSpec), role}}, symbols);
    rules.subgroups.push_back(std::move(part));
  }
}

/// Parts that are selected by labels. Those that are told apart by values of labels are slices of one part.
void add_parts(const kube::VolcanoPodGroup& group, SymbolTable& symbols, GroupRules& rules) {
  for (const kube::VolcanoSubGroupPolicy& policy : group.subgroups) {
    SubGroup part;
    part.name = policy.name;
    part.min_count = policy.min_subgroups * policy.subgroup_size;
    part.selector = policy.label_selector ? PodSelector::of(policy.label_selector, symbols) : PodSelector::everything();
    if (policy.topology) part.topology = wish_of(*policy.topology);
    if (!policy.match_label_keys.empty()) {
      part.topology.slice_required = std::exchange(part.topology.required, std::string());
      part.topology.slice_size = part.topology.slice_required.empty() ? 0 : policy.subgroup_size;
      part.topology.slices_are_whole = part.topology.slice_size > 0;
      part.topology.preferred.clear();
    }
    rules.subgroups.push_back(std::move(part));
  }
}

}  // namespace

GroupDescription describe(const kube::VolcanoPodGroup& group, SymbolTable& symbols) {
  GroupDescription said;
  said.name_space = group.metadata.namespace_;
  said.group = {GroupSpelling::kVolcano, group.metadata.name};
  said.uid = group.metadata.uid;
  said.rules.priority_class = group.priority_class_name;
  said.min_count = group.min_member;
  said.has_started = group.status.phase == "Running" || group.status.phase == "Completed";
  const std::int32_t counted = group.status.running + group.status.succeeded;
  said.minimum_is_newer = group.status.running > 0 && counted < group.min_member;
  if (group.topology) said.rules.topology = wish_of(*group.topology);
  // A pod's place is that of the first of these that it is in, and only a policy says something of places.
  add_parts(group, symbols, said.rules);
  add_roles(group, symbols, said.rules);
  add_order_of_creation(group.metadata, symbols, said.rules);
  return said;
}

}  // namespace loadline::cluster::spellings

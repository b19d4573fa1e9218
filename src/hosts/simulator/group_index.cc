#include "hosts/simulator/group_index.h"

namespace loadline::simulator {

GroupIndex::GroupIndex(const std::vector<PlannedGroup>& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    index_[{groups[i].spelling, groups[i].name_space, groups[i].name}] = i;
  }
}

std::optional<std::size_t> GroupIndex::of(const PlannedPod& pod) const {
  if (pod.pod_group.empty()) return std::nullopt;
  return find({pod.pod_group_spelling, pod.name_space, pod.pod_group});
}

std::optional<std::size_t> GroupIndex::of(const PlannedGroup& group) const {
  return find({group.spelling, group.name_space, group.name});
}

std::optional<std::size_t> GroupIndex::find(const Key& key) const {
  const auto found = index_.find(key);
  return found == index_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace loadline::simulator

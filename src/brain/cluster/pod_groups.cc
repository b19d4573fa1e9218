#include "brain/cluster/pod_groups.h"

#include <algorithm>

#include "foundation/base/contract.h"

namespace loadline::cluster {

GroupId PodGroups::find(Symbol name_space, std::string_view name) const {
  const auto found = ids_.find({name_space, std::string(name)});
  return found == ids_.end() ? GroupId{} : found->second;
}

GroupId PodGroups::intern(Symbol name_space, std::string_view name) {
  const auto [entry, fresh] = ids_.try_emplace({name_space, std::string(name)});
  if (!fresh) return entry->second;
  const GroupId id = entry->second = unused_.take(groups_.size());
  if (id.index() == groups_.size()) groups_.emplace_back();
  groups_[id.index()] = {};
  groups_[id.index()].name_space = name_space;
  groups_[id.index()].name = name;
  return id;
}

std::vector<GroupId> PodGroups::partly_placed() const {
  std::vector<GroupId> ids;
  for (const auto& [key, id] : ids_) {
    if (at(id).is_partly_placed()) ids.push_back(id);
  }
  return ids;
}

std::pair<GroupId, bool> PodGroups::describe(Symbol name_space, std::string_view name, const Description& description) {
  const GroupId id = intern(name_space, name);
  PodGroup& group = groups_[id.index()];
  const bool is_new =
      !group.is_described || group.min_count != description.min_count || group.rules != description.rules;
  const bool is_another = !group.is_described || group.uid != description.uid;
  group.is_described = true;
  group.min_count = description.min_count;
  group.uid = description.uid;
  group.rules = description.rules;
  group.has_started = description.has_started || (group.has_started && !is_another);
  return {id, is_new};
}

GroupId PodGroups::forget(Symbol name_space, std::string_view name) {
  const GroupId id = find(name_space, name);
  if (!id.valid() || !at(id).is_described) return {};
  groups_[id.index()].is_described = false;
  groups_[id.index()].min_count = 0;
  groups_[id.index()].has_started = false;
  groups_[id.index()].rules = {};
  release_if_unused(id);
  return id;
}

GroupId PodGroups::join(Symbol name_space, std::string_view name, PodId pod) {
  const GroupId id = intern(name_space, name);
  groups_[id.index()].members.push_back(pod);
  return id;
}

void PodGroups::ask(GroupId id, const TopologyWish& wish) {
  PodGroup& group = groups_[id.index()];
  if (group.members.size() == 1) {
    group.asked_by_members = wish;
    group.members_disagree = false;
  } else if (group.asked_by_members != wish) {
    group.members_disagree = true;
  }
}

void PodGroups::leave(GroupId id, PodId pod) {
  std::vector<PodId>& members = groups_[id.index()].members;
  const auto found = std::find(members.begin(), members.end(), pod);
  REQUIRES(found != members.end());
  members.erase(found);
  release_if_unused(id);
}

void PodGroups::release_if_unused(GroupId id) {
  const PodGroup& group = at(id);
  if (group.is_described || !group.members.empty()) return;
  ids_.erase({group.name_space, group.name});
  unused_.give_back(id);
}

}  // namespace loadline::cluster

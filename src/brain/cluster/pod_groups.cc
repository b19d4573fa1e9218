#include "brain/cluster/pod_groups.h"

#include <algorithm>

#include "brain/cluster/spellings/membership.h"
#include "foundation/base/contract.h"

namespace loadline::cluster {

GroupId PodGroups::find(Symbol name_space, const GroupName& name) const {
  const auto found = ids_.find({name_space, name.spelling, name.name});
  return found == ids_.end() ? GroupId{} : found->second;
}

GroupId PodGroups::intern(Symbol name_space, const GroupName& name) {
  const auto [entry, fresh] = ids_.try_emplace({name_space, name.spelling, name.name});
  if (!fresh) return entry->second;
  const GroupId id = entry->second = unused_.take(groups_.size());
  if (id.index() == groups_.size()) groups_.emplace_back();
  groups_[id.index()] = {};
  groups_[id.index()].name_space = name_space;
  groups_[id.index()].name = name.name;
  groups_[id.index()].spelling = name.spelling;
  return id;
}

std::vector<GroupId> PodGroups::partly_placed() const {
  std::vector<GroupId> ids;
  for (const auto& [key, id] : ids_) {
    if (at(id).is_partly_placed()) ids.push_back(id);
  }
  return ids;
}

void PodGroups::settle_minimum(PodGroup& group) {
  const auto succeeded = static_cast<std::int32_t>(group.succeeded);
  group.min_count = std::max(group.described_min_count - succeeded, 0);
}

std::pair<GroupId, bool> PodGroups::describe(Symbol name_space, const GroupDescription& description) {
  const GroupId id = intern(name_space, description.group);
  PodGroup& group = groups_[id.index()];
  const bool is_new =
      !group.is_described || group.described_min_count != description.min_count || group.rules != description.rules;
  const bool is_another = !group.is_described || group.uid != description.uid;
  group.is_described = true;
  group.described_min_count = description.min_count;
  group.uid = description.uid;
  group.rules = description.rules;
  group.has_started = description.has_started || (group.has_started && !is_another);
  settle_minimum(group);
  return {id, is_new};
}

GroupId PodGroups::forget(Symbol name_space, const GroupName& name) {
  const GroupId id = find(name_space, name);
  if (!id.valid() || !at(id).is_described) return {};
  PodGroup& group = groups_[id.index()];
  group.is_described = false;
  group.described_min_count = 0;
  group.has_started = false;
  group.rules = {};
  settle_minimum(group);
  release_if_unused(id);
  return id;
}

GroupId PodGroups::join(Symbol name_space, const GroupName& name, PodId pod, const GroupDescription* said) {
  const GroupId id = intern(name_space, name);
  groups_[id.index()].members.push_back(pod);
  if (said != nullptr && !at(id).is_described) describe(name_space, *said);
  return id;
}

void PodGroups::leave(GroupId id, PodId pod) {
  PodGroup& group = groups_[id.index()];
  const auto found = std::find(group.members.begin(), group.members.end(), pod);
  REQUIRES(found != group.members.end());
  group.members.erase(found);
  release_if_unused(id);
}

GroupId PodGroups::count_succeeded(Symbol name_space, const GroupName& name, std::int32_t sign) {
  const GroupId id = intern(name_space, name);
  PodGroup& group = groups_[id.index()];
  REQUIRES(sign > 0 || group.succeeded > 0);
  group.succeeded += static_cast<std::size_t>(static_cast<std::int64_t>(sign));
  settle_minimum(group);
  return release_if_unused(id) ? GroupId{} : id;
}

/// What pods said of a group that has no object is forgotten with the last of them. Returns whether it is forgotten.
bool PodGroups::release_if_unused(GroupId id) {
  PodGroup& group = groups_[id.index()];
  if (!group.members.empty() || group.succeeded > 0) return false;
  if (group.is_described && spellings::has_objects(group.spelling)) return false;
  ids_.erase({group.name_space, group.spelling, group.name});
  unused_.give_back(id);
  return true;
}

}  // namespace loadline::cluster

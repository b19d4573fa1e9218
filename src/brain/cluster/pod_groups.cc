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
  const std::int32_t all = std::max(group.described_min_count - succeeded, 0);
  // Those that come first are at least one, whatever the later parts are said to have.
  group.min_count = std::max(all - group.to_come, std::min(all, 1));
}

/// Parts of which no copy is there count for nothing, in the group and in their subgroup.
void PodGroups::settle_later_parts(PodGroup& group) {
  group.to_come = 0;
  for (std::size_t i = 0; i < group.rules.later.size(); ++i) {
    const LaterPart& part = group.rules.later[i];
    const auto there = std::ranges::count_if(group.later, [&](const auto& each) { return each.first.first == i; });
    const auto missing = std::max<std::int32_t>(part.copies - static_cast<std::int32_t>(there), 0);
    group.to_come += missing * part.pods;
    for (const auto& [place, least] : part.subgroups) group.rules.subgroups[place].min_count = there == 0 ? 0 : least;
  }
  group.to_come = std::min(group.to_come, std::max(group.described_min_count - 1, 0));
  settle_minimum(group);
}

bool PodGroups::count_later(GroupId id, LaterCopy copy, std::int32_t sign) {
  PodGroup& group = groups_[id.index()];
  std::size_t& there = group.later[copy];
  REQUIRES(sign > 0 || there > 0);
  there += static_cast<std::size_t>(static_cast<std::int64_t>(sign));
  const bool is_news = there == 0 || (sign > 0 && there == 1);
  if (there == 0) group.later.erase(copy);
  if (is_news) settle_later_parts(group);
  return is_news;
}

namespace {

/// With the minimums of subgroups that are yet to come.
GroupRules as_described(GroupRules rules) {
  for (const LaterPart& part : rules.later) {
    for (const auto& [place, least] : part.subgroups) rules.subgroups[place].min_count = least;
  }
  return rules;
}

}  // namespace

std::pair<GroupId, bool> PodGroups::describe(Symbol name_space, const GroupDescription& description) {
  const GroupId id = intern(name_space, description.group);
  PodGroup& group = groups_[id.index()];
  const bool is_new = !group.is_described || group.described_min_count != description.min_count ||
                      as_described(group.rules) != description.rules;
  const bool is_another = !group.is_described || group.uid != description.uid;
  group.is_described = true;
  group.described_min_count = description.min_count;
  group.uid = description.uid;
  group.rules = description.rules;
  group.has_started = description.has_started || (group.has_started && !is_another);
  group.later.clear();  // the cluster counts anew
  settle_later_parts(group);
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
  group.later.clear();
  settle_later_parts(group);
  release_if_unused(id);
  return id;
}

GroupId PodGroups::join(Symbol name_space, const GroupName& name, PodId pod, const GroupDescription* said) {
  const GroupId id = intern(name_space, name);
  groups_[id.index()].members.push_back(pod);
  if (said != nullptr && !at(id).is_described) describe(name_space, *said);
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

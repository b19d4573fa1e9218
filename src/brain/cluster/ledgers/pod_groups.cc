#include "brain/cluster/ledgers/pod_groups.h"

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

std::vector<GroupId> PodGroups::placed() const {
  std::vector<GroupId> ids;
  for (const auto& [key, id] : ids_) {
    if (at(id).placed > 0) ids.push_back(id);
  }
  return ids;
}

void PodGroups::settle_minimum(PodGroup& group) {
  group.succeeded = group.finished.count();
  const auto succeeded = static_cast<std::int64_t>(group.succeeded);
  const auto all = static_cast<std::int32_t>(std::max<std::int64_t>(group.described_min_count - succeeded, 0));
  // Those that come first are at least one, whatever the later parts are said to have.
  group.min_count = std::max(all - group.to_come, std::min(all, 1));
}

GroupStart PodGroup::asked() const {
  GroupStart all;
  all.min_count = minimum_now();
  for (const SubGroup& each : rules.subgroups) all.subgroups[each.name] = each.min_count;
  return all;
}

namespace {

/// What a group started with counts no more than what is asked of it: its owner may have asked for less meanwhile.
void lower_to(GroupStart& start, const GroupStart& asked) {
  start.min_count = std::min(start.min_count, asked.min_count);
  for (auto& [name, least] : start.subgroups) {
    const auto now = asked.subgroups.find(name);
    if (now != asked.subgroups.end()) least = std::min(least, now->second);
  }
}

/// With all parts that may come later.
GroupStart all_of(const GroupDescription& description) {
  GroupStart all;
  all.min_count = description.min_count;
  for (const SubGroup& each : description.rules.subgroups) all.subgroups[each.name] = each.min_count;
  return all;
}

}  // namespace

/// Of what the object says of the start, the first word counts: later the model knows better.
void PodGroups::settle_start(PodGroup& group, const GroupDescription& description, bool is_another) {
  const bool is_known = group.has_started && !is_another;
  if (is_another) group.started_with.reset();
  group.has_started = description.has_started || is_known;
  const GroupStart asked = all_of(description);
  if (group.started_with) lower_to(*group.started_with, asked);
  if (description.has_started && !is_known && !description.minimum_is_newer) group.started_with = asked;
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
  settle_start(group, description, is_another);
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
  group.started_with.reset();
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

void PodGroups::set_started(GroupId id, GroupStart with) {
  PodGroup& group = groups_[id.index()];
  group.has_started = true;
  group.started_with = std::move(with);
  lower_to(*group.started_with, group.asked());
}

GroupId PodGroups::add_succeeded(Symbol name_space, const GroupName& name, const SucceededPod& pod,
                                 SymbolTable& symbols) {
  const GroupId id = intern(name_space, name);
  groups_[id.index()].finished.add(pod, symbols);
  settle_minimum(groups_[id.index()]);
  return id;
}

GroupId PodGroups::remove_succeeded(Symbol name_space, const GroupName& name, std::string_view pod,
                                    const SymbolTable& symbols) {
  const GroupId id = find(name_space, name);
  if (!id.valid() || !groups_[id.index()].finished.remove(pod, symbols)) return id;
  settle_minimum(groups_[id.index()]);
  return release_if_unused(id) ? GroupId{} : id;
}

std::pair<GroupId, bool> PodGroups::record_succeeded(Symbol name_space, const GroupName& name,
                                                     const SuccessRecord& record, SymbolTable& symbols) {
  if (record.succeeded <= 0 && !find(name_space, name).valid()) return {GroupId{}, false};
  const GroupId id = intern(name_space, name);
  PodGroup& group = groups_[id.index()];
  const std::size_t before = group.succeeded;
  group.finished.record(record, symbols);
  settle_minimum(group);
  const bool is_different = group.succeeded != before;
  return {release_if_unused(id) ? GroupId{} : id, is_different};
}

/// What pods said of a group that has no object is forgotten with the last of them. Returns whether it is forgotten.
bool PodGroups::release_if_unused(GroupId id) {
  PodGroup& group = groups_[id.index()];
  if (!group.members.empty() || !group.finished.empty()) return false;
  if (group.is_described && spellings::has_objects(group.spelling)) return false;
  ids_.erase({group.name_space, group.spelling, group.name});
  unused_.give_back(id);
  return true;
}

}  // namespace loadline::cluster

#include "hosts/scheduler/group_conditions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "brain/cluster/spellings/kinds.h"
#include "brain/cluster/spellings/membership.h"
#include "brain/decision/why_text.h"
#include "brain/gang/group_standing.h"
#include "brain/gang/held_room.h"
#include "objects/kube/condition.h"

namespace loadline::scheduler {

using watching::Change;
using watching::Keys;
using watching::ObjectKey;

GroupConditions::GroupConditions(EventLoop& loop, watching::Subscriptions& subscriptions, watching::Actuator& actuator,
                                 cluster::Cluster& model)
    : loop_(loop),
      caches_(subscriptions.caches()),
      model_(model),
      writer_(loop, actuator, [this](const ObjectKey& key, const Wanted& wanted) { return say(key, wanted); }) {
  subscriptions.on<kube::Pod>([this](const Change<kube::Pod>& change, Keys&) {
    count(change.before, -1);
    count(change.after, 1);
  });
  cluster::spellings::for_each_group_kind([&]<class Kind>() {
    subscriptions.on<Kind>([this](const Change<Kind>& change, Keys&) {
      if (change.after == nullptr) return;
      const ObjectKey key = change.after->key();
      look({key.name_space, {cluster::spellings::kSpellingOf<Kind>, key.name}});
    });
  });
}

void GroupConditions::start() {
  gang::believe_in_starts(model_);
  writer_.start();
}

void GroupConditions::count(const watching::ObjectPtr<kube::Pod>& pod, std::int64_t sign) {
  if (pod == nullptr || pod->view.spec->node_name.empty() || pod->is_being_deleted()) return;
  std::optional<cluster::GroupName> name = cluster::spellings::group_of(pod->view);
  if (!name) return;
  const Group group{pod->metadata().namespace_, *std::move(name)};
  const auto entry = bound_.try_emplace(group).first;
  entry->second += sign;
  if (entry->second == 0) bound_.erase(entry);
  if (sign > 0) look(group);
}

/// Whether the group has started by now, with what is asked of it now. Those that have ended count among those on
/// nodes, whether or not their pods are there.
void GroupConditions::look(const Group& name) {
  const cluster::GroupId id = model_.find_group(name.first, name.second);
  if (!id.valid() || !model_.group(id).is_described) return;
  const bool is_bound = is_bound_whole(name, id);
  const bool is_whole = is_bound && gang::standing_of(model_, id).is_whole;
  if (is_whole) gang::note_start(model_, id);
  // Nothing may be on a node any more: all have succeeded, and the object is a new one; or one of the pods has failed
  // before anything here had heard of the others' nodes.
  const bool can_tell = is_whole || model_.group(id).rules.subgroups.empty();
  if (is_bound && can_tell && !model_.group(id).has_started) model_.set_group_started(id);
  if (!model_.group(id).has_started) return;
  if (name.second.spelling != cluster::GroupSpelling::kKubernetes) return;
  const ObjectKey key{name.first, name.second.name};
  const auto group = caches_.of<kube::PodGroup>().find(key.name_space, key.name);
  if (group == nullptr) return;
  const kube::MetaCondition* said = kube::find_condition(group->view.conditions, "PodGroupScheduled");
  const bool says_it = said != nullptr && said->status == "True";
  const std::int64_t generation = group->metadata().generation;
  const bool says_it_of_fewer = says_it && generation > 1 && said->observed_generation < generation;
  if (!says_it || (is_whole && says_it_of_fewer)) {
    writer_.want(key, {group->metadata().uid, {.is_scheduled = true, .reason = "Scheduled", .message = {}}});
  }
}

/// Whether the API server has as many of its pods on nodes as it starts with.
bool GroupConditions::is_bound_whole(const Group& name, cluster::GroupId id) const {
  const auto bound = bound_.find(name);
  if (bound == bound_.end()) return false;
  const cluster::PodGroup& group = model_.group(id);
  const auto gone = static_cast<std::int64_t>(group.finished.count() - group.finished.pods());
  const std::int64_t yet_to_come = gang::held_places(model_, group);  // room is held for so many
  return bound->second + gone + yet_to_come >= std::max(group.minimum_now(), 1);
}

void GroupConditions::took(const ObjectKey& key, const decision::Turn& turn) {
  const auto group = caches_.of<kube::PodGroup>().find(key.name_space, key.name);
  if (group == nullptr || model_.group(turn.unit.group).has_started) return;
  if (turn.verdict == gang::Verdict::kStarts) {
    writer_.forget(key);
    return;
  }
  const bool is_error = turn.verdict == gang::Verdict::kFailed;
  writer_.want(key, {group->metadata().uid,
                     {.is_scheduled = false,
                      .reason = std::string(is_error ? kSchedulerError : kUnschedulable),
                      .message = decision::text(model_, turn.why)}});
}

std::vector<watching::Action> GroupConditions::say(const ObjectKey& key, const Wanted& wanted) const {
  const auto group = caches_.of<kube::PodGroup>().find(key.name_space, key.name);
  if (group == nullptr || group->metadata().uid != wanted.uid) return {};
  return say_group_status(*group, wanted.status, loop_.now());
}

}  // namespace loadline::scheduler

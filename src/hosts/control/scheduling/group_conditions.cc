#include "hosts/control/scheduling/group_conditions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "brain/cluster/spellings/kinds.h"
#include "brain/cluster/spellings/membership.h"
#include "objects/kube/condition.h"

namespace loadline::control {

using controllers::Change;
using controllers::Keys;
using controllers::ObjectKey;

GroupConditions::GroupConditions(EventLoop& loop, controllers::Subscriptions& subscriptions, Actuator& actuator,
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
  believe_in_starts();
  writer_.start();
}

/// Nothing on the server says of these groups that they were whole once. Those that have pods on nodes when the
/// scheduler begins are taken to have been: it would be worse to end what runs.
void GroupConditions::believe_in_starts() {
  for (const auto& [name, pods] : bound_) {
    const cluster::GroupSpelling spelling = name.second.spelling;
    if (spelling == cluster::GroupSpelling::kKubernetes) continue;
    const cluster::GroupId id = model_.find_group(name.first, name.second);
    if (id.valid()) model_.set_group_started(id);
  }
}

void GroupConditions::count(const controllers::ObjectPtr<kube::Pod>& pod, std::int64_t sign) {
  if (pod == nullptr || pod->view.spec->node_name.empty() || pod->is_being_deleted()) return;
  std::optional<cluster::GroupName> name = cluster::spellings::group_of(pod->view);
  if (!name) return;
  const Group group{pod->metadata().namespace_, *std::move(name)};
  const auto entry = bound_.try_emplace(group).first;
  entry->second += sign;
  if (entry->second == 0) bound_.erase(entry);
  if (sign > 0) look(group);
}

/// Whether the group has started by now. Those that have ended count among those on nodes.
void GroupConditions::look(const Group& name) {
  const cluster::GroupId id = model_.find_group(name.first, name.second);
  if (!id.valid() || !model_.group(id).is_described) return;
  const auto bound = bound_.find(name);
  const std::int64_t needed = std::max(model_.group(id).minimum_now(), 1);
  const bool is_whole = bound != bound_.end() && bound->second >= needed;
  if (!is_whole && !model_.group(id).has_started) return;
  model_.set_group_started(id);
  if (name.second.spelling != cluster::GroupSpelling::kKubernetes) return;
  const ObjectKey key{name.first, name.second.name};
  const auto group = caches_.of<kube::PodGroup>().find(key.name_space, key.name);
  if (group == nullptr) return;
  if (!kube::has_true_condition(group->view.conditions, "PodGroupScheduled")) {
    writer_.want(key, {group->metadata().uid, {.is_scheduled = true, .reason = "Scheduled", .message = {}}});
  }
}

void GroupConditions::took(const ObjectKey& key, const engine::Turn& turn) {
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
                      .message = turn.message}});
}

std::vector<controllers::Action> GroupConditions::say(const ObjectKey& key, const Wanted& wanted) const {
  const auto group = caches_.of<kube::PodGroup>().find(key.name_space, key.name);
  if (group == nullptr || group->metadata().uid != wanted.uid) return {};
  return say_group_status(*group, wanted.status, loop_.now());
}

}  // namespace loadline::control

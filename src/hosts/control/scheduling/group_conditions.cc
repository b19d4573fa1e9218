#include "hosts/control/scheduling/group_conditions.h"

#include <algorithm>
#include <utility>

#include "objects/kube/condition.h"

namespace loadline::control {

using controllers::Change;
using controllers::Keys;
using controllers::ObjectKey;

namespace {

constexpr Duration kWriteAgain = Duration::seconds(1);

/// So many of its pods on nodes make a start.
std::int64_t needed(const kube::PodGroup& group) { return std::max(group.policy.min_count.value_or(1), 1); }

}  // namespace

GroupConditions::GroupConditions(EventLoop& loop, controllers::Subscriptions& subscriptions, Actuator& actuator,
                                 cluster::Cluster& model)
    : loop_(loop), caches_(subscriptions.caches()), actuator_(actuator), model_(model) {
  subscriptions.on<kube::Pod>([this](const Change<kube::Pod>& change, Keys&) {
    count(change.before, -1);
    count(change.after, 1);
  });
  subscriptions.on<kube::PodGroup>([this](const Change<kube::PodGroup>& change, Keys&) {
    if (change.after != nullptr) look(change.after->key());
  });
}

void GroupConditions::start() {
  is_started_ = true;
  std::vector<ObjectKey> keys;
  for (const auto& [key, wanted] : wanted_) keys.push_back(key);
  for (const ObjectKey& key : keys) write(key);
}

void GroupConditions::count(const controllers::ObjectPtr<kube::Pod>& pod, std::int64_t sign) {
  if (pod == nullptr || pod->view.spec->pod_group_name.empty()) return;
  if (pod->view.spec->node_name.empty() || pod->is_being_deleted()) return;
  const ObjectKey key{pod->metadata().namespace_, pod->view.spec->pod_group_name};
  const auto entry = bound_.try_emplace(key).first;
  entry->second += sign;
  if (entry->second == 0) bound_.erase(entry);
  if (sign > 0) look(key);
}

/// Whether the group has started by now.
void GroupConditions::look(const ObjectKey& key) {
  const auto group = caches_.of<kube::PodGroup>().find(key.name_space, key.name);
  const cluster::GroupId id = model_.find_group(key.name_space, key.name);
  if (group == nullptr || !id.valid()) return;
  const auto bound = bound_.find(key);
  const bool is_whole = bound != bound_.end() && bound->second >= needed(group->view);
  if (!is_whole && !model_.group(id).has_started) return;
  model_.set_group_started(id);
  if (!kube::has_true_condition(group->view.conditions, "PodGroupScheduled")) {
    want(key, {group->metadata().uid, {.is_scheduled = true, .reason = "Scheduled", .message = {}}});
  }
}

void GroupConditions::took(const ObjectKey& key, const engine::Turn& turn) {
  const auto group = caches_.of<kube::PodGroup>().find(key.name_space, key.name);
  if (group == nullptr || model_.group(turn.unit.group).has_started) return;
  if (turn.verdict == gang::Verdict::kStarts) {
    wanted_.erase(key);
    return;
  }
  const bool is_error = turn.verdict == gang::Verdict::kFailed;
  want(key, {group->metadata().uid,
             {.is_scheduled = false,
              .reason = std::string(is_error ? kSchedulerError : kUnschedulable),
              .message = turn.message}});
}

void GroupConditions::want(const ObjectKey& key, Wanted wanted) {
  wanted_.insert_or_assign(key, std::move(wanted));
  write(key);
}

void GroupConditions::write(const ObjectKey& key) {
  const auto found = wanted_.find(key);
  if (!is_started_ || found == wanted_.end() || under_way_.contains(key)) return;
  const Wanted wanted = found->second;
  const auto group = caches_.of<kube::PodGroup>().find(key.name_space, key.name);
  std::vector<controllers::Action> actions;
  if (group != nullptr && group->metadata().uid == wanted.uid) {
    actions = say_group_status(*group, wanted.status, loop_.now());
  }
  if (actions.empty()) {
    wanted_.erase(found);
    return;
  }
  under_way_.insert(key);
  actuator_.perform({std::move(actions)}, [this, key, wanted](const ReconciliationResult& outcome) {
    under_way_.erase(key);
    on_written(key, wanted, outcome.failures.empty());
  });
}

void GroupConditions::on_written(const ObjectKey& key, const Wanted& written, bool is_done) {
  const auto found = wanted_.find(key);
  if (found == wanted_.end()) return;
  if (is_done && found->second == written) {
    wanted_.erase(found);
  } else if (is_done) {
    write(key);
  } else {
    retries_[key] = loop_.after(kWriteAgain, [this, key] {
      const auto done = retries_.extract(key);
      write(key);
    });
  }
}

}  // namespace loadline::control

#include "hosts/scheduler/group_statuses.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "brain/cluster/spellings/kinds.h"
#include "brain/cluster/spellings/membership.h"
#include "brain/decision/why_text.h"

namespace loadline::scheduler {

using cluster::GroupSpelling;
using watching::Change;
using watching::Keys;
using watching::ObjectKey;

namespace {

/// Volcano's --schedule-period, and KAI's.
constexpr Duration kSessionPeriod = Duration::seconds(1);

bool has_status(GroupSpelling spelling) {
  return spelling == GroupSpelling::kVolcano || spelling == GroupSpelling::kKai;
}

/// What says a group's status: nothing of an object that is gone, or is another one by now.
template <class Kind, class Facts>
auto say(const watching::Caches& caches, const EventLoop& loop) {
  return [&caches, &loop](const ObjectKey& key, const Facts& facts) -> std::vector<watching::Action> {
    const auto group = caches.of<Kind>().find(key.name_space, key.name);
    if (group == nullptr || group->metadata().uid != facts.uid) return {};
    return say_group_status(*group, facts, loop.now());
  };
}

}  // namespace

GroupStatuses::GroupStatuses(EventLoop& loop, watching::Subscriptions& subscriptions, watching::Actuator& actuator,
                             const cluster::Cluster& model, AnswersTo answers_to)
    : loop_(loop),
      caches_(subscriptions.caches()),
      model_(model),
      answers_to_(std::move(answers_to)),
      volcanos_(loop, actuator, say<kube::VolcanoPodGroup, VolcanoGroupFacts>(caches_, loop_)),
      kais_(loop, actuator, say<kube::KaiPodGroup, KaiGroupFacts>(caches_, loop_)) {
  subscriptions.on<kube::Pod>([this](const Change<kube::Pod>& change, Keys&) {
    count(change.before, -1);
    count(change.after, 1);
  });
  const auto touch_changed = [this]<class Kind>(const Change<Kind>& change, Keys&) {
    const ObjectKey key = change.last().key();
    touch({key.name_space, {cluster::spellings::kSpellingOf<Kind>, key.name}});
  };
  subscriptions.on<kube::VolcanoPodGroup>(touch_changed);
  subscriptions.on<kube::KaiPodGroup>(touch_changed);
}

void GroupStatuses::start() {
  is_started_ = true;
  volcanos_.start();
  kais_.start();
  look_later();
}

void GroupStatuses::count(const watching::ObjectPtr<kube::Pod>& pod, std::int64_t sign) {
  if (pod == nullptr) return;
  std::optional<cluster::GroupName> name = cluster::spellings::group_of(pod->view);
  if (!name || !has_status(name->spelling)) return;
  const Group group{pod->metadata().namespace_, *std::move(name)};
  const auto entry = pods_.try_emplace(group).first;
  entry->second.tasks[task_status_of(pod->view)] += sign;
  const auto named = entry->second.schedulers.try_emplace(pod->view.spec->scheduler_name).first;
  named->second += sign;
  if (named->second == 0) entry->second.schedulers.erase(named);
  if (entry->second.tasks.all() == 0) pods_.erase(entry);
  touch(group);
}

void GroupStatuses::took(const decision::Turn& turn) {
  const cluster::PodGroup& group = model_.group(turn.unit.group);
  if (!has_status(group.spelling)) return;
  const Group name{std::string(model_.symbols().text(group.name_space)), {group.spelling, group.name}};
  if (turn.verdict == gang::Verdict::kStarts) {
    failed_.erase(name);
  } else {
    FailedTurn& failed = failed_[name];
    failed.fits = static_cast<std::int64_t>(turn.fits);
    failed.why = decision::text(model_, turn.why);
    failed.origin = ": " + failed.why;
    if (turn.stopped_by) {
      const decision::PodTurn& pod = turn.pods[*turn.stopped_by];
      failed.origin = ' ' + model_.pod_name(pod.pod) + ": " + decision::text(model_, pod.why);
    }
  }
  touch(name);
}

void GroupStatuses::touch(const Group& group) {
  touched_.insert(group);
  look_later();
}

void GroupStatuses::look_later() {
  if (!is_started_ || session_ != nullptr || touched_.empty()) return;
  session_ = loop_.after(kSessionPeriod, [this] {
    const std::unique_ptr<EventLoop::Timer> over = std::move(session_);
    for (const Group& group : std::exchange(touched_, {})) look(group);
  });
}

void GroupStatuses::look(const Group& group) {
  const auto found = pods_.find(group);
  if (found == pods_.end()) failed_.erase(group);  // its next pods are told of anew
  const Pods none;
  const Pods& pods = found == pods_.end() ? none : found->second;
  if (group.second.spelling == GroupSpelling::kVolcano) {
    look_at_volcanos(group, pods);
  } else {
    look_at_kais(group, pods);
  }
}

void GroupStatuses::look_at_volcanos(const Group& group, const Pods& pods) {
  const auto object = caches_.of<kube::VolcanoPodGroup>().find(group.first, group.second.name);
  if (object == nullptr || !is_ours(pods, "volcano")) return;
  VolcanoGroupFacts facts;
  facts.uid = object->metadata().uid;
  facts.tasks = with_placed(pods.tasks, placed(group));
  if (const auto failed = failed_.find(group); failed != failed_.end()) {
    facts.fits = failed->second.fits;
    facts.origin = failed->second.origin;
  }
  volcanos_.want(object->key(), std::move(facts));
}

/// While some are bound and others wait, the conditions stay as they are: so a binding that fails leaves the reason why
/// the pods waited, and a group that grows is not told of as one that does not start.
void GroupStatuses::look_at_kais(const Group& group, const Pods& pods) {
  const auto object = caches_.of<kube::KaiPodGroup>().find(group.first, group.second.name);
  if (object == nullptr || !is_ours(pods, "kai-scheduler")) return;
  const auto failed = failed_.find(group);
  if (pods.tasks[TaskStatus::kPending] == 0) {
    kais_.want(object->key(), {object->metadata().uid, std::nullopt});
  } else if (failed != failed_.end() && placed(group) == 0) {
    kais_.want(object->key(), {object->metadata().uid, failed->second.why});
  } else {
    kais_.forget(object->key());
  }
}

bool GroupStatuses::is_ours(const Pods& pods, std::string_view its_own) const {
  if (pods.schedulers.empty()) return answers_to_(its_own);
  return std::ranges::any_of(pods.schedulers, [this](const auto& named) { return answers_to_(named.first); });
}

/// How many of its pods are on nodes for the scheduler, and stay there.
std::int64_t GroupStatuses::placed(const Group& group) const {
  const cluster::GroupId id = model_.find_group(group.first, group.second);
  return id.valid() ? static_cast<std::int64_t>(model_.group(id).placed) : 0;
}

}  // namespace loadline::scheduler

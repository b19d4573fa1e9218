#include "brain/queue/kueue/kueue_scheduler.h"

#include <algorithm>
#include <iterator>

#include "brain/queue/kueue/round_objects.h"
#include "brain/queue/kueue/round_text.h"
#include "objects/kube/condition.h"

namespace loadline::queue::kueue {
namespace {

bool has(const kube::KueueWorkload& workload, std::string_view type, std::string_view status,
         std::string_view reason = {}) {
  return std::ranges::any_of(workload.status.conditions, [&](const kube::MetaCondition& it) {
    return it.type == type && it.status == status && (reason.empty() || it.reason == reason);
  });
}

/// One that has quota has given some of it back, or pods of it have ended, or it can be preempted by others now.
bool may_help_others(const Workload& was, const Workload& is) {
  const auto count = &PodSetDemand::count;
  return was.uses != is.uses || was.priority != is.priority ||
         !std::ranges::equal(was.pod_sets, is.pod_sets, {}, count, count);
}

/// Of other pods, another priority, or in another queue.
bool is_another(const Workload& was, const Workload& is) {
  return was.generation != is.generation || was.equivalence != is.equivalence || was.uid != is.uid ||
         was.queue != is.queue;
}

bool may_wait(const kube::KueueWorkload& workload) {
  const auto gates = workload.metadata.annotations.find(kube::kAdmissionGatedByAnnotation);
  const bool is_gated = gates != workload.metadata.annotations.end() && !gates->second.empty();
  return !is_gated && !has(workload, "QuotaReserved", "False", "OnHold") &&
         !has(workload, "WaitingForReplacementPods", "True");
}

}  // namespace

KueueScheduler::KueueScheduler(cluster::QuotaTree& tree, Settings settings, const kube::KueueResources& resources)
    : settings_(std::move(settings)),
      shapes_(tree.symbols(), resources),
      flavors_(tree.symbols(), shapes_),
      quotas_(tree),
      queues_(quotas_, flavors_),
      workloads_(quotas_, queues_, shapes_),
      pending_(queues_, tree, workloads_, settings_, *this),
      history_(tree, workloads_),
      rounds_(quotas_, queues_, workloads_, pending_, settings_, *this, history_) {}

// ---- objects -------------------------------------------------------------------------------------------------------

void KueueScheduler::help(QuotaNodeId node, Instant now) {
  has_news_ = true;
  pending_.notify(node, now);
}

void KueueScheduler::help_all(Instant now) {
  for (const QueueId queue : queues_.all()) help(queue, now);
}

/// The change helps the queues that admit something only with it.
template <class Change>
void KueueScheduler::help_those_that_start(Instant now, Change&& change) {
  std::vector<QueueId> stopped;
  std::ranges::copy_if(queues_.all(), std::back_inserter(stopped),
                       [this](QueueId queue) { return !queues_.has_turns(queue); });
  change();
  has_news_ = true;
  for (const QueueId queue : stopped) {
    if (queues_.has_turns(queue)) help(queue, now);
  }
}

void KueueScheduler::set_switches(const Switches& switches, Instant now) {
  if (settings_.repeated_preemption == switches.repeated_preemption) return;
  settings_.repeated_preemption = switches.repeated_preemption;
  help_all(now);
}

void KueueScheduler::set(const kube::ResourceFlavor& flavor, Instant now) {
  history_.forget_all();
  bool takes_others = false;
  help_those_that_start(now, [&] {
    takes_others = flavors_.set(flavor);
    queues_.flavors_changed();
  });
  if (!takes_others) return;
  for (const QueueId queue : queues_.all()) {
    if (queues_.uses(queue, flavor.metadata.name)) help(queue, now);
  }
}

void KueueScheduler::remove_flavor(std::string_view name, Instant now) {
  history_.forget_all();
  help_those_that_start(now, [&] {
    flavors_.remove(name);
    queues_.flavors_changed();
  });
}

/// A status alone helps nobody: objects of a server say by their generation whether their spec is another.
void KueueScheduler::set(const kube::ClusterQueue& object, Instant now) {
  const QueueId known = queues_.find(object.metadata.name);
  const bool is_new = !known.valid();
  const std::int64_t before = is_new ? 0 : queues_.at(known).object.metadata.generation;
  const bool was_active = !is_new && queues_.is_active(known);
  const QueueId queue = queues_.set(object);
  const bool is_same = before != 0 && before == object.metadata.generation;
  if (!is_same) {
    history_.forget_all();
    help(queue, now);
  }
  if (!was_active && queues_.is_active(queue)) has_news_ = true;
  if (!is_new) return;
  for (auto& [name, local] : locals_) {
    if (local.object && local.object->cluster_queue == object.metadata.name) resolve(local);
  }
}

void KueueScheduler::remove_queue(std::string_view name) {
  const QueueId queue = queues_.find(name);
  if (!queue.valid()) return;
  history_.forget_all();
  for (const WorkloadId waiting : pending_.in_order(queue)) {
    pending_.remove(waiting);
    workloads_.at(waiting).queue = {};
  }
  const auto holders = workloads_.holders(queue);
  for (const WorkloadId holder : std::vector(holders.begin(), holders.end())) {
    let_go_of_room(holder);
    workloads_.take_quota(holder);
    workloads_.at(holder).queue = {};
  }
  pending_.forget(queue);
  without_room_.erase(queue);
  queues_.remove_queue(name);
}

void KueueScheduler::set(const kube::Cohort& cohort, Instant now) {
  history_.forget_all();
  help(queues_.set(cohort), now);
}

void KueueScheduler::remove_cohort(std::string_view name, Instant now) {
  const QuotaNodeId node = quotas_.tree().find(cluster::QuotaNodeKind::kGroup, name);
  if (!node.valid()) return;
  history_.forget_all();
  pending_.forget(node);
  queues_.remove_cohort(name);
  help_all(now);
}

void KueueScheduler::set(const kube::AdmissionCheck& check, Instant now) {
  history_.forget_all();
  help_those_that_start(now, [&] { queues_.set(check); });
}

void KueueScheduler::remove_check(std::string_view name, Instant now) {
  history_.forget_all();
  help_those_that_start(now, [&] { queues_.remove_check(name); });
}

KueueScheduler::LocalName KueueScheduler::local_name(std::string_view name_space, std::string_view name) {
  SymbolTable& symbols = quotas_.tree().symbols();
  return {symbols.intern(name_space), symbols.intern(name)};
}

void KueueScheduler::set(const kube::LocalQueue& object) {
  LocalQueue& local = locals_[local_name(object.metadata.namespace_, object.metadata.name)];
  local.object = object;
  resolve(local);
}

void KueueScheduler::remove_local_queue(std::string_view name_space, std::string_view name) {
  const auto found = locals_.find(local_name(name_space, name));
  if (found == locals_.end()) return;
  found->second.object.reset();
  resolve(found->second);
}

/// Nothing stands in line through a LocalQueue that is stopped.
QueueId KueueScheduler::queue_of(const LocalQueue& local) const {
  if (!local.object || local.object->stop_policy != kube::StopPolicy::kNone) return {};
  return queues_.find(local.object->cluster_queue);
}

/// Its workloads stand in the line that it leads to now.
void KueueScheduler::resolve(LocalQueue& local) {
  const QueueId queue = queue_of(local);
  has_news_ = true;
  for (const WorkloadId id : local.workloads) {
    Workload& workload = workloads_.at(id);
    if (workload.queue == queue) continue;
    if (workload.queue.valid()) pending_.remove(id);
    history_.forget(id);
    workload.queue = queue;
    if (queue.valid()) pending_.join(id);
  }
}

void KueueScheduler::set_namespace(std::string_view name, const kube::StringMap& labels, Instant now) {
  const Symbol symbol = quotas_.tree().symbols().intern(name);
  if (!exists(symbol)) {
    namespaces_[symbol] = labels;
    help_all(now);
    return;
  }
  std::vector<QueueId> others;
  std::ranges::copy_if(queues_.all(), std::back_inserter(others),
                       [&](QueueId queue) { return !admits(queue, symbol); });
  history_.forget_all();
  namespaces_[symbol] = labels;
  for (const QueueId queue : others) {
    if (admits(queue, symbol)) help(queue, now);
  }
}

void KueueScheduler::set_pod_bounds(std::string_view name_space, PodBounds bounds) {
  if (bounds == PodBounds()) {
    const auto known = pod_bounds_.find(name_space);
    if (known != pod_bounds_.end()) pod_bounds_.erase(known);
  } else {
    pod_bounds_.insert_or_assign(std::string(name_space), std::move(bounds));
  }
}

std::string KueueScheduler::pod_problem_of(const kube::KueueWorkload& object) const {
  const auto bounds = pod_bounds_.find(object.metadata.namespace_);
  return pod_problem(object, bounds == pod_bounds_.end() ? PodBounds() : bounds->second);
}

bool KueueScheduler::admits(QueueId queue, Symbol name_space) const {
  const auto& selector = queues_.at(queue).object.namespace_selector;
  const auto labels = namespaces_.find(name_space);
  return selector && labels != namespaces_.end() && kube::matches(*selector, labels->second);
}

// ---- workloads -----------------------------------------------------------------------------------------------------

void KueueScheduler::set(const kube::KueueWorkload& workload, Instant now) {
  const bool is_over = has(workload, "Finished", "True") || !workload.active;
  if (!is_over) over_.erase(workload.metadata.namespace_ + "/" + workload.metadata.name);
  if (!is_over && has(workload, "QuotaReserved", "True") && adopt(workload, now)) return;
  if (!is_over && !has(workload, "QuotaReserved", "True") && may_wait(workload)) {
    submit(workload, now);
    return;
  }
  std::string name = workload.metadata.namespace_ + "/" + workload.metadata.name;
  const WorkloadId known = workloads_.find(name);
  const auto stood = local_of_.find(known);
  const LocalName local =
      stood != local_of_.end() ? stood->second : local_name(workload.metadata.namespace_, workload.queue_name);
  const bool was_queued = known.valid() || over_.contains(name);
  withdraw(known, now);
  if (!is_over || !was_queued) return;
  help_queue_of(over_.emplace(std::move(name), local).first->second, now);
}

/// Upstream has the others of its queue tried again even if it only waited, or was over before.
void KueueScheduler::help_queue_of(const LocalName& name, Instant now) {
  const auto local = locals_.find(name);
  if (local == locals_.end()) return;
  const QueueId queue = queue_of(local->second);
  if (queue.valid()) help(queue, now);
}

/// True: because it was preempted.
bool KueueScheduler::give_back(WorkloadId workload, Instant now) {
  if (!workloads_.at(workload).has_quota) return false;
  const QueueId queue = workloads_.at(workload).queue;
  let_go_of_room(workload);
  const bool was_preempted = history_.quota_comes_free(workload);
  workloads_.take_quota(workload);
  help(queue, now);
  return was_preempted;
}

/// It is in no line, through no LocalQueue.
void KueueScheduler::leave_line(WorkloadId workload) {
  if (pending_.place(workload) != PendingQueues::Place::kNone) pending_.remove(workload);
  const auto local = local_of_.find(workload);
  if (local == local_of_.end()) return;
  locals_.at(local->second).workloads.erase(workload);
  local_of_.erase(local);
}

WorkloadId KueueScheduler::submit(const kube::KueueWorkload& object, Instant now) {
  const LocalName name = local_name(object.metadata.namespace_, object.queue_name);
  LocalQueue& local = locals_[name];
  const QueueId queue = queue_of(local);
  PendingQueues::Place before = PendingQueues::Place::kNone;
  bool is_other = true;
  WorkloadId id = workloads_.find(object.metadata.namespace_ + "/" + object.metadata.name);
  std::optional<Workload> was;
  bool was_preempted = false;
  if (id.valid()) {
    was_preempted = give_back(id, now);
    was = workloads_.at(id);
    if (was->queue == queue && queue.valid()) before = pending_.lift(id);
    const auto local_before = local_of_.find(id);
    const bool stays = local_before != local_of_.end() && local_before->second == name;
    if (was->queue != queue || !stays) leave_line(id);
  }
  id = workloads_.set(object, queue, settings_.requeuing_timestamp);
  Workload& it = workloads_.at(id);
  it.pod_problem = pod_problem_of(object);
  if (was) {
    is_other = was->generation != it.generation || was->equivalence != it.equivalence || was->uid != it.uid ||
               was->queued_at != it.queued_at || was->is_evicted != it.is_evicted ||
               was->is_held_back != it.is_held_back || was->pod_problem != it.pod_problem;
  }
  note_change(was ? &*was : nullptr, id, object);
  if (is_other && !was_preempted) history_.arrived(id);
  local_of_[id] = name;
  local.workloads.insert(id);
  if (queue.valid()) pending_.put(id, before, is_other, now);
  has_news_ = true;
  return id;
}

bool KueueScheduler::adopt(const kube::KueueWorkload& object, Instant now) {
  const WorkloadId known = workloads_.find(object.metadata.namespace_ + "/" + object.metadata.name);
  std::optional<Workload> was;
  if (known.valid()) {
    leave_line(known);
    was = workloads_.at(known);
  }
  const WorkloadId id = workloads_.set(object, {}, settings_.requeuing_timestamp);
  if (!workloads_.adopt(id, object)) return false;
  note_change(was ? &*was : nullptr, id, object);
  has_news_ = true;
  if (was && was->has_quota && may_help_others(*was, workloads_.at(id))) help(was->queue, now);
  return true;
}

/// What is remembered of its preemptions, as its object says something else. `was`: null if it is new.
void KueueScheduler::note_change(const Workload* was, WorkloadId id, const kube::KueueWorkload& object) {
  const Workload& is = workloads_.at(id);
  if (was == nullptr) return recall(id, object);
  if (is_another(*was, is)) return history_.forget(id);
  if (!was->has_quota || !is.has_quota) return;
  if (was->is_evicted && !is.is_evicted) history_.take_back(id);
  if (was->uses != is.uses) history_.shrank(id);
}

/// For whom it was preempted last, which its conditions say as long as it is there.
void KueueScheduler::recall(WorkloadId id, const kube::KueueWorkload& object) {
  const kube::MetaCondition* preempted = kube::find_condition(object.status.conditions, "Preempted");
  if (preempted == nullptr) return;
  const std::string_view uid = preemptor_uid(preempted->message);
  if (uid.empty()) return;
  const Workload& it = workloads_.at(id);
  history_.recall(id, std::string(uid), it.has_quota && it.is_evicted);
}

void KueueScheduler::withdraw(WorkloadId workload, Instant now) {
  if (!workload.valid()) return;
  leave_line(workload);
  give_back(workload, now);
  history_.forget(workload);
  workloads_.remove(workload);
}

void KueueScheduler::remove(WorkloadId workload, Instant now) {
  if (!workload.valid()) return;
  const QueueId queue = workloads_.at(workload).queue;
  withdraw(workload, now);
  if (queue.valid()) help(queue, now);
}

void KueueScheduler::forget(std::string_view name_space, std::string_view name, Instant now) {
  const std::string key = std::string(name_space) + "/" + std::string(name);
  remove(workloads_.find(key), now);
  const auto over = over_.find(key);
  if (over == over_.end()) return;
  help_queue_of(over->second, now);
  over_.erase(over);
}

void KueueScheduler::mark_evicted(WorkloadId workload) {
  workloads_.at(workload).is_evicted = true;
  let_go_of_room(workload);
}

// ---- nodes for their pods ------------------------------------------------------------------------------------------

void KueueScheduler::set_room(Room* room, Instant now) {
  if (room == room_) return;
  for (const QueueId queue : queues_.all()) {
    for (const WorkloadId holder : workloads_.holders(queue)) let_go_of_room(holder);
  }
  room_ = room;
  for (const QueueId queue : std::exchange(without_room_, {})) help(queue, now);
  if (room_ == nullptr) return rounds_.ask_room({});
  rounds_.ask_room([this](const Decision& decision, std::span<const Victim> leaving, bool holds) {
    return ask_room(decision, leaving, holds);
  });
}

RoomAnswer KueueScheduler::ask_room(const Decision& decision, std::span<const Victim> leaving, bool holds) {
  RoomRequest request = {workloads_.at(decision.workload).name, admission_by(*this, decision), {}};
  for (const Victim& victim : leaving) request.leaving.push_back(workloads_.at(victim.workload).name);
  return holds ? room_->hold(request) : room_->find(request);
}

/// Its pods that are not there yet will not come.
void KueueScheduler::let_go_of_room(WorkloadId workload) {
  if (room_ != nullptr) room_->let_go(workloads_.at(workload).name);
}

bool KueueScheduler::may_have_room() const {
  return room_ != nullptr && !without_room_.empty() && room_->times_freed() != times_freed_seen_;
}

// ---- rounds --------------------------------------------------------------------------------------------------------

bool KueueScheduler::is_due(Instant now) const {
  const std::optional<Instant> at = pending_.due_at();
  return (has_news_ && pending_.has_heads()) || (at && *at <= now) || may_have_room();
}

void KueueScheduler::elapse(Instant now) {
  if (may_have_room()) {
    for (const QueueId queue : std::exchange(without_room_, {})) help(queue, now);
  }
  if (pending_.elapse(now)) has_news_ = true;
}

/// What is ready still has failed for good, until something happens, unless the round changed what others find, or it
/// goes on with other flavors.
Round KueueScheduler::decide_round(Instant now) {
  elapse(now);
  if (room_ != nullptr) times_freed_seen_ = room_->times_freed();
  for (const WorkloadId preemptor : history_.resolve()) {
    Workload& it = workloads_.at(preemptor);
    it.has_made_room = !it.has_quota;
  }
  Round round = rounds_.decide(now);
  has_news_ = round.has_changed_something();
  for (const Decision& decision : round.decisions) {
    const Workload& workload = workloads_.at(decision.workload);
    if (decision.code == Decision::Code::kNoRoom) without_room_.insert(workload.queue);
    for (const Victim& victim : decision.evicted) let_go_of_room(victim.workload);
    if (decision.code == Decision::Code::kAdmitted) {
      leave_line(decision.workload);
    } else if (!decision.is_ready || (workload.progress && workload.progress->has_more())) {
      has_news_ = true;
    }
  }
  return round;
}

}  // namespace loadline::queue::kueue

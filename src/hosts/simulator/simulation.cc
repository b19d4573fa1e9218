#include "hosts/simulator/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "brain/cluster/facts/taint_eviction.h"
#include "brain/decision/eviction_text.h"
#include "brain/gang/expected_ends.h"
#include "brain/gang/group_standing.h"
#include "brain/gang/held_room.h"
#include "brain/workloads/success_records.h"
#include "hosts/simulator/bound_pods.h"
#include "objects/kube/defaults.h"

namespace loadline::simulator {

using cluster::NodeId;
using cluster::PodId;

namespace {

constexpr std::size_t kProgressStep = 256;

std::vector<NodeReason> in_words(const std::vector<placement::ReasonCount>& counts) {
  std::vector<NodeReason> reasons;
  for (const placement::ReasonCount& count : counts) {
    reasons.push_back({count.nodes, std::string(count.plugin), count.text});
  }
  return reasons;
}

}  // namespace

Simulation::Simulation(const kube::Objects& objects, kube::Objects& made, cluster::Cluster& cluster,
                       placement::Scheduler scheduler, admission::Admission& admission, SimulatedPods& pods,
                       const PlanOptions& options, QueuedJobs* queued)
    : objects_(objects),
      made_(made),
      cluster_(cluster),
      dispatcher_(cluster, std::move(scheduler)),
      admission_(admission),
      options_(options),
      disruption_(objects, cluster),
      now_(options.now),
      pods_(pods),
      queued_(queued),
      lost_pods_(objects, made, pods, options.seed, options.replacements),
      room_(objects, made, cluster, pods) {
  pods_.set_keeper(&dispatcher_.keeper());
  dispatcher_.set_switches(options.policy.gang);
  open_room_for_queues();
}

void Simulation::run(Intake intake) {
  for (AwaitedArrival& awaited : intake.awaited) awaited_.add(std::move(awaited));
  for (const kube::Pod& pod : objects_.of<kube::Pod>()) {
    if (pod.status.phase == kube::PodPhase::kSucceeded) awaited_.count(pod, 1);
  }
  pods_.expect(intake.existing.size() + intake.created.size());
  std::vector<Arrival*> bound;
  for (Arrival& arrival : intake.existing) {
    if (is_bound_by_its_author(arrival.pod)) {
      bound.push_back(&arrival);
    } else {
      adopt(std::move(arrival), PodOutcome::kRunning, 0);
    }
  }
  // What runs was there before what its author has bound.
  for (Arrival* const arrival : bound) start_where_it_says(std::move(*arrival), PodOutcome::kRunning, 0);
  note_earlier_starts();
  room_.take_in(admission_, dispatcher_, intake.created, now_);
  for (Arrival& arrival : intake.created) create(std::move(arrival), 0);
  find_evictions();
  find_ends();
  begin_queues();
  do {
    work_off_queue();
    while (next_time()) {
      advance();
      work_off_queue();
    }
  } while (flush_unschedulable() || release_partial_starts());
  reject_postponed();
  tell_uncreated();
  if (queued_ != nullptr) tell_queued();
  refuse_evictions();
  explain_held_groups();
  const Diagnostics about_extenders = extender_notes_.notes();
  notes_.insert(notes_.end(), about_extenders.begin(), about_extenders.end());
}

// ---- the scheduler's turn -------------------------------------------------------------------------------------------

void Simulation::work_off_queue() {
  dispatcher_.set_now(now_);
  do {
    follow_queues();
    while (const std::optional<decision::Unit> unit = dispatcher_.next()) {
      const std::size_t before = cycles_;
      schedule(*unit);
      if (cycles_ / kProgressStep != before / kProgressStep) report_progress();
    }
  } while (follow_queues() || create_awaited() || evict_next() || evict_next_together());
  report_progress();
}

void Simulation::schedule(const decision::Unit& unit) {
  if (!objects_.of<kube::PodDisruptionBudget>().empty()) disruption_.update();
  bool is_watched_turn = false;
  for (const PodId pod : dispatcher_.units().pods(unit)) {
    ++cycles_;
    if (cluster_.pod(pod).reservation.valid()) continue;
    const std::size_t index = pods_.index_of(pod);
    if (!is_watched(pods_[index])) continue;
    watched_ = {index, {}, scheduler().examine(pod).obstacles};
    is_watched_turn = true;
  }
  dispatcher_.set_now(now_);
  dispatcher_.take(unit, is_watched_turn ? placement::Detail::kFull : placement::Detail::kDecision, turn_);
  for (std::size_t i = 0; i < turn_.pods.size() && options_.when_decided; ++i) {
    options_.when_decided(turn_.pods[i], cluster_);
  }
  for (decision::PodTurn& pod : turn_.pods) {
    extender_notes_.add(pod.decision);
    if (cluster_.pod(pod.pod).reservation.valid()) {
      room_.decided(pod);
      preempt(pod);
      continue;
    }
    if (pod.consumed.valid()) room_.consumed(pod);
    const std::size_t index = pods_.index_of(pod.pod);
    if (pod.node.valid()) {
      place(index, pod.node);
      if (!unit.is_group()) pods_[index].passed = told(turn_.passed);
    } else {
      fail(index, pod);
    }
    if (is_watched_turn && is_watched(pods_[index])) watched_->decision = std::move(pod.decision);
  }
  if (!unit.is_group()) return;
  note_turn(turn_);
  gang::note_start(cluster_, unit.group);  // what the plan decides for a group is carried out whole
}

void Simulation::note_turn(const decision::Turn& turn) {
  GroupTurn& last = group_turns_[turn.unit.group];
  last = {turn.verdict,       decision::text(cluster_, turn.why),
          turn.fits,          turn.hopeful,
          std::nullopt,       std::nullopt,
          turn.why.held_by(), turn.search};
  for (const decision::Eviction& each : turn.evictions) {
    if (each.for_whom != turn.unit) continue;
    evicted_for_[turn.unit.group].push_back({decision::text_of(each, cluster_), each.pods.size(), each.gpu_seconds});
  }
  if (!turn.passed.empty()) passed_by_[turn.unit.group] = told(turn.passed);
  if (!turn.stopped_by) return;
  const decision::PodTurn& stopped = turn.pods[*turn.stopped_by];
  if (gang::is_placeholder(cluster_, stopped.pod)) {
    last.stopped_by_room = {decision::text(cluster_, stopped.why),
                            in_words(decision::count_reasons(cluster_, stopped.why))};
  } else {
    last.stopped_by = pods_.index_of(stopped.pod);
  }
}

const GroupTurn* Simulation::last_turn(cluster::GroupId group) const {
  const auto found = group_turns_.find(group);
  return found == group_turns_.end() ? nullptr : &found->second;
}

std::vector<EvictedUnit> Simulation::evicted_for(cluster::GroupId group) const {
  const auto found = evicted_for_.find(group);
  return found == evicted_for_.end() ? std::vector<EvictedUnit>() : found->second;
}

std::vector<PassedStart> Simulation::passed_by(cluster::GroupId group) const {
  const auto found = passed_by_.find(group);
  return found == passed_by_.end() ? std::vector<PassedStart>() : found->second;
}

std::vector<PassedStart> Simulation::told(const std::vector<decision::Passing>& passed) const {
  std::vector<PassedStart> told;
  for (const decision::Passing& each : passed) told.push_back({title(each.planned), each.at, each.rule});
  return told;
}

/// Which groups had started when the plan began, and with what.
void Simulation::note_earlier_starts() {
  for (const KnownStart& start : options_.starts) {
    const cluster::GroupId group = cluster_.find_group(start.name_space, start.group);
    if (group.valid() && cluster_.group(group).is_described) cluster_.set_group_started(group, start.with);
  }
  for (const cluster::GroupId group : cluster_.placed_groups()) gang::note_start(cluster_, group);
  gang::believe_in_starts(cluster_);
}

bool Simulation::is_watched(const SimulatedPod& subject) const {
  const kube::ObjectMeta& metadata = subject.pod.metadata;
  if (!options_.watch || metadata.name != options_.watch->name) return false;
  return options_.watch->name_space.empty() || metadata.namespace_ == options_.watch->name_space;
}

void Simulation::place(std::size_t index, NodeId node) {
  SimulatedPod& subject = pods_[index];
  cluster_.set_started(subject.id, now_);
  subject.node = node;
  subject.outcome = PodOutcome::kPlaced;
  subject.decided = now_;
  subject.message.clear();
  subject.held_by = {};
  subject.reasons.clear();
  awaited_.count(subject.pod, 1);
  evict_for_taints(index);
}

void Simulation::fail(std::size_t index, const decision::PodTurn& turn) {
  SimulatedPod& subject = pods_[index];
  const decision::WhyWords::Words& words = words_.of(turn.why);
  if (subject.message != words.text) subject.decided = now_;  // the same failure again is no news
  subject.message = words.text;
  const bool is_alone = !cluster_.pod(turn.pod).group.valid();  // of others the group tells
  subject.held_by = is_alone ? turn.why.held_by() : decision::Unit();
  subject.reasons = in_words(words.reasons);
  preempt(turn);
}

/// The pods that a turn evicts begin to leave.
void Simulation::preempt(const decision::PodTurn& turn) {
  for (const PodId victim : turn.victims) {
    pods_[pods_.index_of(victim)].preempted_by = cluster_.pod_text(turn.pod);
    evict(victim);
  }
}

// ---- pods go --------------------------------------------------------------------------------------------------------

/// As it was asked to, see engine::Evictions.
void Simulation::evict(PodId pod) {
  const std::size_t index = pods_.index_of(pod);
  SimulatedPod& subject = pods_[index];
  decision::EvictionFacts facts = decision::facts_of(*dispatcher_.evictions().of(pod), pod, cluster_);
  if (facts.cause == decision::EvictionCause::kQueue)
    facts.why = queued_->jobs()[*queued_->find(index, subject.workload)].why;
  const bool is_preempted = facts.cause == decision::EvictionCause::kPreemption;
  subject.outcome = is_preempted ? PodOutcome::kPreempted : PodOutcome::kEvicted;
  subject.is_evicted_by_taint = facts.cause == decision::EvictionCause::kTaint;
  subject.message = decision::outcome_text(facts);
  record(index, decision::words_of(facts.cause).event, decision::event_text(facts));
  subject.decided = now_;
  dispatcher_.leaving(pod);
  const std::int64_t grace =
      subject.pod.spec->termination_grace_period_seconds.value_or(kube::kDefaultGracePeriodSeconds);
  schedule_event(now_ + Duration::seconds(std::min(grace, cluster::kCentury)), EventKind::kPodGone, index);
  if (lost_pods_.follows_at_once(subject.pod)) replace(index);
}

void Simulation::gone(std::size_t index) {
  if (pods_[index].outcome == PodOutcome::kRunning) {
    pods_[index].outcome = PodOutcome::kEvicted;
    pods_[index].message = "was being deleted when the plan began";
    tell_for_whom(index);
  }
  leave_model(index);
  if (!lost_pods_.follows_at_once(pods_[index].pod)) replace(index);
  create_postponed();
  retry_rejected();
}

/// A victim of a preemption before the plan leaves for whoever is nominated to its room, if its object says that much.
void Simulation::tell_for_whom(std::size_t index) {
  SimulatedPod& victim = pods_[index];
  const decision::Unit whom = dispatcher_.evictions().for_whom(victim.id);
  if (whom == decision::Unit()) return;
  victim.message += ", preempted by " + title(whom);
  for (const PodId pod : cluster_.nominated_to(victim.node)) {
    const bool is_meant = whom.is_group() ? cluster_.pod(pod).group == whom.group : pod == whom.pod;
    if (is_meant && victim.preempted_by.empty()) victim.preempted_by = cluster_.pod_text(pod);
  }
}

/// Its room and its quota are free from now on.
void Simulation::leave_model(std::size_t index) {
  const PodId pod = pods_[index].id;
  pods_[index].is_gone = true;
  awaited_.count(pods_[index].pod, -1);
  if (queued_ != nullptr) queued_->pod_goes(index, pods_[index].workload, now_);
  cluster_.remove_pod(pod);
  disruption_.pod_deleted(pod);
  admission_.release(pods_[index].pod);
  const kube::ObjectMeta& metadata = pods_[index].pod.metadata;
  cluster_.volumes().remove_ephemeral_claims(metadata.namespace_, metadata.name, *pods_[index].pod.spec);
  dispatcher_.capacity_freed();
}

void Simulation::find_evictions() {
  std::map<PodName, std::size_t> by_name;
  const bool wants_some = !options_.evictions.empty() || !options_.later_evictions.empty();
  for (std::size_t i = 0; i < pods_.size() && wants_some; ++i) {
    const kube::ObjectMeta& metadata = pods_[i].pod.metadata;
    if (pods_[i].node.valid() && !metadata.deletion_timestamp) by_name[{metadata.namespace_, metadata.name}] = i;
  }
  for (const PodName& name : options_.evictions) {
    if (const auto found = by_name.find(name); found != by_name.end()) to_evict_.push_back(found->second);
  }
  for (const PlannedEviction& eviction : options_.later_evictions) {
    schedule_event(std::max(eviction.at, now_), EventKind::kEvictionDue, together_.size());
    std::vector<std::size_t>& pods = together_.emplace_back();
    for (const PodName& name : eviction.pods) {
      if (const auto found = by_name.find(name); found != by_name.end()) pods.push_back(found->second);
    }
  }
}

/// Pods end by the clock if the plan lets them.
void Simulation::find_ends() {
  if (!options_.ends_until) return;
  const gang::ExpectedEnds ends(cluster_, now_);
  for (const gang::End& end : ends.all()) {
    if (end.at > *options_.ends_until) break;
    if (!cluster_.pod(end.pod).terminating) schedule_event(end.at, EventKind::kPodEnds, pods_.index_of(end.pod));
  }
}

void Simulation::end(std::size_t index) {
  SimulatedPod& subject = pods_[index];
  subject.outcome = PodOutcome::kEnded;
  subject.decided = now_;
  subject.message = "ended, as expected";
  const cluster::GroupId group = cluster_.pod(subject.id).group;
  if (group.valid() && options_.policy.gang.minimum == gang::GroupMinimum::kFinishedToo) {
    const cluster::PodGroup& known = cluster_.group(group);
    cluster_.add_succeeded(subject.pod.metadata.namespace_, {known.spelling, known.name},
                           workloads::succeeded_pod(subject.pod));
  }
  leave_model(index);
  create_postponed();
  retry_rejected();
}

/// Evicts one of those that wait for it, if a budget allows any: what is placed in its stead counts for the next one.
bool Simulation::evict_next() {
  std::erase_if(to_evict_, [&](std::size_t i) { return pods_[i].outcome != PodOutcome::kRunning; });
  const auto next = std::find_if(to_evict_.begin(), to_evict_.end(),
                                 [&](std::size_t i) { return !disruption_.forbids_eviction(pods_[i].id); });
  if (next == to_evict_.end()) return false;
  const std::size_t index = *next;
  to_evict_.erase(next);
  evict_for_drain({&index, 1});
  return true;
}

void Simulation::evict_for_drain(std::span<const std::size_t> unit) {
  decision::Eviction eviction;
  eviction.cause = decision::EvictionCause::kDrain;
  for (const std::size_t index : unit) {
    const NodeId node = pods_[index].node;
    eviction.pods.push_back(pods_[index].id);
    if (options_.drained.contains(std::string(cluster_.node_name(node)))) eviction.drained.push_back(node);
  }
  dispatcher_.evictions().ask(eviction);
  for (const PodId pod : eviction.pods) evict(pod);
}

/// The same of pods that leave together: all of those that are still there, or none.
bool Simulation::evict_next_together() {
  for (std::vector<std::size_t>& unit : to_evict_together_) {
    std::erase_if(unit, [&](std::size_t i) { return pods_[i].outcome != PodOutcome::kRunning; });
  }
  std::erase_if(to_evict_together_, [](const std::vector<std::size_t>& unit) { return unit.empty(); });
  const auto next = std::ranges::find_if(to_evict_together_, [&](const std::vector<std::size_t>& unit) {
    std::vector<PodId> pods;
    for (const std::size_t index : unit) pods.push_back(pods_[index].id);
    return !disruption_.forbids_evictions(pods);
  });
  if (next == to_evict_together_.end()) return false;
  const std::vector<std::size_t> unit = std::move(*next);
  to_evict_together_.erase(next);
  evict_for_drain(unit);
  return true;
}

void Simulation::refuse_evictions() {
  for (const std::size_t index : to_evict_) {
    if (pods_[index].outcome != PodOutcome::kRunning) continue;
    refused_evictions_.push_back({index, disruption_.forbids_eviction(pods_[index].id).value_or("")});
  }
  for (const std::vector<std::size_t>& unit : to_evict_together_) {
    std::vector<PodId> pods;
    for (const std::size_t index : unit) pods.push_back(pods_[index].id);
    const std::string why = disruption_.forbids_evictions(pods).value_or("");
    for (const std::size_t index : unit) {
      if (pods_[index].outcome == PodOutcome::kRunning) refused_evictions_.push_back({index, why});
    }
  }
}

void Simulation::evict_for_taints(std::size_t index) {
  const SimulatedPod& subject = pods_[index];
  const auto stay =
      cluster::time_to_stay(cluster_.facts(subject.node).taints, cluster_.shape_of(subject.id).tolerations);
  if (stay) schedule_event(now_ + *stay, EventKind::kTolerationEnds, index);
}

/// Pods whose group never had a turn: members are missing.
void Simulation::explain_held_groups() {
  for (std::size_t i = 0; i < pods_.size(); ++i) {
    SimulatedPod& subject = pods_[i];
    if (subject.outcome != PodOutcome::kPending || !subject.id.valid()) continue;
    if (!cluster_.pod(subject.id).group.valid()) continue;
    const std::optional<decision::Why> why = dispatcher_.held_by_group(subject.id);
    if (!why) continue;
    subject.message = decision::text(cluster_, *why);
    held_by_group_.insert(i);
  }
}

// ---- time -----------------------------------------------------------------------------------------------------------

void Simulation::schedule_event(Instant at, EventKind what, std::size_t subject) {
  calendar_.insert({at, events_scheduled_++, what, subject});
}

/// Those that nothing woke have another turn when they have waited long enough. False: there was nothing to retry.
bool Simulation::flush_unschedulable() {
  if (!dispatcher_.flush_unschedulable()) return false;
  now_ = now_ + engine::Dispatcher::kLongestWait;
  return true;
}

/// Groups that had been started only in part when the plan began, and that nothing completes any more, give back their
/// room. False: there are none.
bool Simulation::release_partial_starts() {
  engine::Overdue overdue = dispatcher_.overdue_starts(now_);
  if (overdue.releases.empty()) {
    const Instant in_the_end = now_ + gang::PartialStarts::kPatience;
    overdue = dispatcher_.overdue_starts(in_the_end);
    tell_kept(overdue.kept_in_vain);
    if (overdue.releases.empty()) return false;
    now_ = in_the_end;
  }
  for (const decision::Eviction& release : overdue.releases) {
    for (const PodId pod : release.pods) evict(pod);
  }
  return true;
}

/// When something happens by itself; nullopt: never.
std::optional<Instant> Simulation::next_time() const {
  const std::optional<Instant> round = queued_ == nullptr ? std::nullopt : queued_->due_at();
  if (calendar_.empty()) return round;
  const Instant event = std::get<Instant>(*calendar_.begin());
  return round ? std::min(*round, event) : event;
}

/// Moves the clock to then, and carries out all events that are due.
void Simulation::advance() {
  now_ = std::max(now_, *next_time());
  while (!calendar_.empty() && std::get<Instant>(*calendar_.begin()) <= now_) {
    const auto [at, order, what, subject] = *calendar_.begin();
    calendar_.erase(calendar_.begin());
    happen(what, subject);
  }
}

void Simulation::happen(EventKind what, std::size_t subject) {
  switch (what) {
    case EventKind::kPodGone:
      return gone(subject);
    case EventKind::kPodEnds:
      if (pods_[subject].outcome == PodOutcome::kRunning) end(subject);
      return;
    case EventKind::kEvictionDue:
      to_evict_together_.push_back(together_[subject]);
      return;
    case EventKind::kTolerationEnds:
      break;
  }
  if (pods_[subject].left() || cluster_.pod(pods_[subject].id).terminating) return;
  decision::Eviction eviction;
  eviction.cause = decision::EvictionCause::kTaint;
  eviction.pods = {pods_[subject].id};
  dispatcher_.evictions().ask(std::move(eviction));
  evict(pods_[subject].id);
}

void Simulation::record(std::size_t subject, std::string_view reason, std::string message) {
  events_.push_back({now_ - options_.now, title(subject), std::string(reason), std::move(message)});
}

std::string Simulation::title(std::size_t subject) const {
  const kube::ObjectMeta& metadata = pods_[subject].pod.metadata;
  return "Pod " + metadata.namespace_ + '/' + metadata.name;
}

void Simulation::report_progress() const {
  if (options_.progress) options_.progress(pods_.size() - dispatcher_.waiting(), pods_.size());
}

}  // namespace loadline::simulator

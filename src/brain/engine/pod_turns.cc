// The part of Dispatcher that gives single pods their turns.
#include <algorithm>
#include <utility>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/engine/dispatcher.h"
#include "brain/gang/place.h"
#include "brain/gang/search/group_demand.h"

namespace loadline::engine {

using cluster::NodeId;
using cluster::PodId;
using decision::Claims;
using decision::Need;
using decision::Passing;
using decision::PodTurn;
using decision::Turn;
using decision::Unit;
using decision::UnitRecord;

void Dispatcher::decide(PodId pod, placement::Detail detail, Turn& whole) {
  PodTurn& turn = whole.pods.emplace_back();
  turn.pod = pod;
  // A caller that asks for more detail gets the decision itself.
  if (const KnownFailure* known = known_failure(pod); known != nullptr && detail == placement::Detail::kDecision) {
    turn.is_repeated = true;
    turn.why = known->why;
    queue_.park(Unit(pod), known->wake_ups, need_of(pod));
    return;
  }
  scheduler_.decide(pod, detail, placement::Search::kAsConfigured, turn.decision);
  const bool gives_way = !may_start(turn, whole.passed);
  // Its planned start, if that has come, was of no use.
  if (!turn.decision.attempt.scheduled()) promises_.settle_due(Unit(pod));
  if (gives_way) {
    queue_.park(Unit(pod), {}, need_of(pod));
  } else if (turn.decision.attempt.scheduled()) {
    place(turn);
    if (plans_starts()) promises_.started(Unit(pod), {pod}, generation_);
  } else {
    const std::optional<gang::NoVictims> no_victims = spare_groups(pod, turn.decision);
    turn.why.fit_error = turn.decision.fit_error;
    if (no_victims) turn.why.no_victims.push_back(*no_victims);
    fail(turn);
  }
}

/// False: the pod fits, but others have its room for later. Its place may be another one on return.
bool Dispatcher::may_start(PodTurn& turn, std::vector<Passing>& passed) {
  if (promises_.empty()) return true;
  const Unit unit(turn.pod);
  placement::Attempt& attempt = turn.decision.attempt;
  const bool has_room_already = attempt.consumes.valid() || attempt.by_nomination;
  if (has_room_already) return true;
  Passage passage;
  if (attempt.scheduled()) passage = promises_.pass(unit, {{turn.pod, attempt.node}});
  if (!passage.is_free() && attempt.error.empty()) passage.places = promises_.due_places(unit);
  if (passage.is_free()) {
    passed = std::move(passage.passed);
    attempt.node = passage.places.front().node;
    return true;
  }
  if (!attempt.scheduled()) return true;
  attempt.node = NodeId{};
  turn.why.cause = decision::HeldForPlan{passage.held_by, passage.until};
  return false;
}

Need Dispatcher::need_of(PodId pod) const {
  const cluster::PodRecord& record = cluster_.pod(pod);
  return {record.shape, record.priority, 1};
}

/// Nothing is known of groups of different pods, or of one for which room is being made.
std::optional<Need> Dispatcher::need_of_group(const UnitRecord& group) const {
  const Waiting& waiting = group.members();
  const cluster::PodRecord& first = cluster_.pod(waiting.front());
  const bool is_uniform = std::ranges::all_of(waiting, [&](PodId pod) {
    const cluster::PodRecord& record = cluster_.pod(pod);
    return record.shape == first.shape && record.priority == first.priority && !record.nominated.valid();
  });
  if (!is_uniform) return std::nullopt;
  const cluster::PodGroup& known = cluster_.group(group.unit.group);
  // Whom its members may evict by its priority counts as gone; whom they may by their own does, too.
  const std::int32_t priority = std::max(first.priority, known.rules.priority.value_or(first.priority));
  // Where its profile does not ask for its minimum, or it has that, any member may start.
  const bool heeds_minimum = scheduler_.permit(waiting.front()).has_value();
  const std::int64_t least = heeds_minimum ? std::min<std::int64_t>(known.still_needed(), std::ssize(waiting)) : 1;
  return Need{first.shape, priority, least};
}

/// Pods of one shape and priority fail alike as long as nothing changes, so the second one need not ask again.
const Dispatcher::KnownFailure* Dispatcher::known_failure(PodId pod) const {
  const cluster::PodRecord& record = cluster_.pod(pod);
  if (record.nominated.valid()) return nullptr;
  const auto known = failures_.find({record.shape, record.priority, record.preemption_policy});
  return known == failures_.end() || known->second.generation != generation_ ? nullptr : &known->second;
}

void Dispatcher::place(PodTurn& turn) {
  const NodeId node = turn.decision.attempt.node;
  const NodeId nominated = cluster_.pod(turn.pod).nominated;
  Claims* claims = claim(turn.pod);
  std::vector<cluster::ChosenVolume>& chosen = claims == nullptr ? turn.volumes : claims->volumes;
  chosen = put({turn.pod, node}, turn.decision.attempt.consumes);
  if (claims != nullptr) turn.volumes = chosen;
  settle_consumption(turn);
  // A nomination was taken back: pods that failed because of it may fit now.
  if (nominated.valid() && nominated != node) capacity_freed();
  ++generation_;
  turn.node = node;
  close(Unit(turn.pod));
  queue_.pod_placed(turn.pod);
}

/// All of it, or nothing if it throws: nobody would know whose place was taken.
std::vector<cluster::ChosenVolume> Dispatcher::put(const gang::Place& place, PodId consumes) {
  if (!consumes.valid()) return gang::put(cluster_, scheduler_, place);
  cluster::Transaction whole(cluster_, cluster::Visibility::kSeen);
  std::vector<cluster::ChosenVolume> chosen = gang::put(cluster_, scheduler_, place, consumes);
  whole.commit();
  return chosen;
}

/// A placeholder that a pod has the place of does not wait. If the pod takes less, other pods may fit.
void Dispatcher::settle_consumption(PodTurn& turn) {
  turn.consumed = turn.decision.attempt.consumes;
  if (!turn.consumed.valid()) return;
  turn.reservation = cluster_.pod(turn.consumed).reservation;
  if (!cluster_.pod(turn.consumed).group.valid()) {
    close(Unit(turn.consumed));
    promises_.forget(Unit(turn.consumed));
  }
  const bool had_room = turn.decision.attempt.by_reservation;
  keeper_.consume(turn.pod, turn.consumed, had_room ? cluster_.pod(turn.pod).node : NodeId{});
  if (had_room && cluster_.pod(turn.consumed).shape != cluster_.pod(turn.pod).shape) capacity_freed();
}

void Dispatcher::fail(PodTurn& turn) {
  const placement::Decision& decision = turn.decision;
  turn.is_error = !decision.attempt.error.empty();
  const cluster::PodRecord& record = cluster_.pod(turn.pod);
  const placement::Preemption& preemption = decision.preemption;
  const bool stays_nominated = record.nominated.valid() && preemption.keeps_nomination();
  if (record.nominated.valid() && !stays_nominated && preemption.node != record.nominated) {
    cluster_.nominate(turn.pod, NodeId{});
    capacity_freed();
  }
  const placement::WakeUps wake_ups = wake_ups_of(decision);
  const bool evicts = preemption.node.valid() && !promises_.needs(Unit(turn.pod), preemption.node);
  const bool has_prospect = stays_nominated || evicts;
  queue_.park(Unit(turn.pod), wake_ups, has_prospect ? std::nullopt : std::optional(need_of(turn.pod)));
  if (evicts) {
    make_room(turn, preemption.node);
  } else if (!stays_nominated && decision.attempt.error.empty() && !decision.asked_extenders &&
             !record.reservation.valid()) {
    // A pod may go where a placeholder of its shape may not. What a scoring plugin that is not built in fails with may
    // depend on what the shape does not hold: annotations.
    failures_[{record.shape, record.priority, record.preemption_policy}] = {generation_, turn.why, wake_ups};
  }
  turn.nominated = record.nominated;
}

placement::WakeUps Dispatcher::wake_ups_of(const placement::Decision& decision) const {
  // Where evictions make room, a pod affinity may still be unmet: the attempt's filters did not come so far.
  placement::WakeUps wake_ups = decision.attempt.wake_ups;
  for (const placement::RejectionCount& counted : decision.preemption.rejections) {
    wake_ups |= scheduler_.rejections().at(counted.rejection).wake_ups;
  }
  return wake_ups;
}

/// The pod is nominated to the node, where its victims, if it chose any, have to leave.
void Dispatcher::make_room(PodTurn& turn, NodeId node) {
  const std::int32_t priority = cluster_.pod(turn.pod).priority;
  // Pods of lower priority that are nominated to this node lose their nomination.
  const std::vector<PodId> hopeful = cluster_.nominated_to(node);
  for (const PodId other : hopeful) {
    if (other == turn.pod || cluster_.pod(other).priority >= priority) continue;
    cluster_.nominate(other, NodeId{});
    turn.denominated.push_back(other);
    capacity_freed();
  }
  if (cluster_.pod(turn.pod).nominated != node) cluster_.nominate(turn.pod, node);
  ++generation_;
  turn.nominated = node;
  const placement::Candidate* chosen = turn.decision.preemption.chosen();
  if (chosen == nullptr) return;
  for (const PodId victim : chosen->victims) {
    if (!cluster_.pod(victim).terminating) turn.victims.push_back(victim);
  }
}

}  // namespace loadline::engine

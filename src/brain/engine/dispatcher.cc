#include "brain/engine/dispatcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/engine/broken_groups.h"
#include "brain/gang/place.h"
#include "brain/gang/search/group_demand.h"
#include "brain/gang/topology/close_placement.h"
#include "brain/placement/countable_demand.h"
#include "foundation/base/contract.h"

namespace loadline::engine {

using cluster::NodeId;
using cluster::PodId;
using decision::CarriedOut;
using decision::Claims;
using decision::Passing;
using decision::PodTurn;
using decision::Turn;
using decision::Unit;

// ---- pods -----------------------------------------------------------------------------------------------------------

Unit Dispatcher::unit_of(PodId pod) const {
  const cluster::GroupId group = cluster_.pod(pod).group;
  return group.valid() ? Unit(group) : Unit(pod);
}

void Dispatcher::add(PodId pod) {
  REQUIRES(!claims_.contains(pod));
  REQUIRES(scheduler_.profile(cluster_.symbols().text(cluster_.shape_of(pod).scheduler_name)) != nullptr);
  const cluster::GroupId group = cluster_.pod(pod).group;
  if (!group.valid()) return queue_.push(pod);
  promises_.forget(Unit(group));
  promises_.arrived();
  Waiting& waiting = groups_[group];
  waiting.push_back(pod);
  if (queue_.has(group)) {
    queue_.push(group, pod);
  } else {
    enqueue(group, waiting);
  }
}

ReservationKeeper::Line Dispatcher::placeholders() {
  return {[this](PodId placeholder, NodeId node) { return hold(placeholder, node); },
          [this](PodId placeholder) { add(placeholder); }, [this](PodId placeholder) { withdraw(placeholder); },
          [this] { capacity_freed(); }};
}

/// False: there is no such room on the node.
bool Dispatcher::hold(PodId placeholder, NodeId node) {
  if (placement::pods_that_fit(scheduler_.demand_of(placeholder), cluster_, node) <= 0) return false;
  cluster_.place(placeholder, node);
  placed_elsewhere(placeholder);
  return true;
}

void Dispatcher::withdraw(PodId pod) {
  const cluster::GroupId group = cluster_.pod(pod).group;
  promises_.forget(unit_of(pod));
  if (!group.valid()) return queue_.remove(Unit(pod));
  const auto found = groups_.find(group);
  if (found == groups_.end()) return;
  std::erase(found->second, pod);
  if (!found->second.empty()) {
    if (queue_.has(group)) queue_.rank(group, found->second);
    return queue_.wake(Unit(group));  // the others may fit without it
  }
  queue_.remove(Unit(group));
  groups_.erase(found);
}

void Dispatcher::nominate(PodId pod, NodeId node) {
  cluster_.nominate(pod, node);
  queue_.forget_need(unit_of(pod));
  ++generation_;
}

void Dispatcher::placed_elsewhere(PodId pod) {
  ++generation_;
  queue_.pod_placed(pod);
  // The rest of its group may suffice now.
  if (const Unit unit = unit_of(pod); unit.is_group()) queue_.wake(unit);
}

const Claims* Dispatcher::claims_of(PodId pod) const {
  const auto held = claims_.find(pod);
  return held == claims_.end() ? nullptr : &held->second;
}

/// The pod is about to be placed. It is noted first, so that what is placed can be released whatever comes between.
/// Null: there is nothing to carry out, as for a placeholder, which no API server knows.
Claims* Dispatcher::claim(PodId pod) {
  if (carried_out_ == CarriedOut::kAtOnce || cluster_.pod(pod).reservation.valid()) return nullptr;
  return &(claims_[pod] = {++attempts_, {}});
}

void Dispatcher::confirm(PodId pod) {
  claims_.erase(pod);
  keeper_.confirm(pod);
}

void Dispatcher::release(PodId pod) {
  const auto held = claims_.extract(pod);
  const bool is_placed = cluster_.pod(pod).node.valid();  // the node may be gone
  if (held.empty() && !is_placed) return;
  if (is_placed) cluster_.unplace(pod);
  if (!held.empty() && !held.mapped().volumes.empty()) cluster_.volumes().give_back(held.mapped().volumes);
  cluster_.release_claims(pod);
  keeper_.release(pod);
  capacity_freed();
}

void Dispatcher::leave(PodId pod, const decision::Eviction& eviction) {
  cluster_.set_terminating(pod, eviction.cause == decision::EvictionCause::kPreemption);
  if (const Unit unit = unit_of(pod); unit.is_group()) {
    promises_.forget(unit);  // it needs more than was planned
    // The last pod of a later part may have kept the others from having a turn.
    const auto waiting = groups_.find(unit.group);
    if (waiting != groups_.end() && !queue_.has(unit.group)) enqueue(unit.group, waiting->second);
  }
  ++generation_;
  queue_.pod_leaving(pod);
}

void Dispatcher::group_changed(cluster::GroupId group) {
  const auto found = groups_.find(group);
  if (found == groups_.end()) return;
  promises_.forget(Unit(group));
  if (queue_.has(group)) queue_.rank(group, found->second);
  enqueue(group, found->second);
}

/// Lets the group have a turn, unless members are missing.
void Dispatcher::enqueue(cluster::GroupId group, const Waiting& waiting) {
  if (is_gated(group, waiting.front())) return queue_.remove(Unit(group));
  for (const PodId pod : waiting) queue_.push(group, pod);
}

/// Whether the group may not have a turn: members are missing, of all or of a subgroup, and its profile minds that.
bool Dispatcher::is_gated(cluster::GroupId group, PodId member) const {
  if (scheduler_.gate(member)) return true;
  return !gang::lacking_subgroups(cluster_, group).empty() && scheduler_.permit(member).has_value();
}

std::optional<std::string> Dispatcher::held_by_group(PodId pod) const {
  if (const std::optional<placement::Rejection> gate = scheduler_.gate(pod)) return gate->reasons.front().text();
  const cluster::GroupId group = cluster_.pod(pod).group;
  if (!group.valid() || !is_gated(group, pod)) return std::nullopt;
  const gang::LackingSubgroup first = gang::lacking_subgroups(cluster_, group).front();
  return fmt::format("waiting for pods of subgroup \"{}\": {} must start together, and {}", first.name, first.least,
                     first.members == 0 ? "it has none" : fmt::format("it has {}", first.members));
}

// ---- the model changed ----------------------------------------------------------------------------------------------

void Dispatcher::capacity_freed() {
  ++generation_;
  queue_.room_changed();
}

void Dispatcher::reclaim() {
  failures_.clear();  // named by shapes
  searches_.clear();  // and pods
  room_.forget_unused();
  promises_.reclaim();
  evictions_.forget_gone();
  scheduler_.reclaim();
}

bool Dispatcher::flush_unschedulable() {
  // That the time of a planned start has come is news by itself: it is used, or kept for nobody any longer.
  const bool is_any_due =
      std::ranges::any_of(promises_.all(), [&](const auto& planned) { return planned.second->at <= now_; });
  if (generation_ == retried_generation_ && !is_any_due) return false;
  if (is_any_due) ++generation_;  // what failed before is asked again
  retried_generation_ = generation_;
  if (refusals_ == Refusals::kTold) {
    queue_.wake_all();
  } else {
    queue_.room_changed();
  }
  return has_next();
}

std::vector<decision::Eviction> Dispatcher::overdue_starts(Instant now) {
  evictions_.forget_asked();
  std::vector<decision::Eviction> overdue = overdue_.at(now, groups_, switches_.broken);
  for (const decision::Eviction& eviction : overdue) evictions_.ask(eviction);
  return overdue;
}

OverdueStarts::Line Dispatcher::line() {
  return {[this](const Unit& unit) { return pods_of(unit); }, [this](const Unit& unit) { return priority_of(unit); },
          [this](const Unit& unit) { return promises_.could_ever_start(unit); },
          [this](const Unit& unit, const std::vector<PodId>& pods) { return try_place(unit, pods); }};
}

/// Whoever stands before a unit whose planned start has come, and asks for as much room, may be refused it for the sake
/// of others. So each of these has a turn, whatever the room is.
void Dispatcher::wake_due() {
  for (const auto& [unit, planned] : promises_.all()) {
    if (planned->at <= now_) queue_.wake(unit);
  }
}

// ---- turns ----------------------------------------------------------------------------------------------------------

std::optional<Unit> Dispatcher::next() {
  if (queue_.is_room_changed()) {
    queue_.wake_with_room(room_);
    wake_due();
  }
  std::optional<Unit> unit = next_with_prospect();
  while (!unit && plans_starts()) {
    // A change may move planned starts without giving any unit a turn; a unit that one held back may have one then.
    promises_.refresh(generation_, std::nullopt);
    if (queue_.empty()) break;
    unit = next_with_prospect();
  }
  return unit;
}

/// The first unit in the queue whose turn is not certain to be in vain, or whose host is to be told why it waits.
std::optional<Unit> Dispatcher::next_with_prospect() {
  const bool is_told = refusals_ == Refusals::kTold;
  while (const std::optional<Unit> unit = queue_.pop()) {
    // Members may have gone since the group entered the queue.
    if (unit->is_group() && is_gated(unit->group, groups_.at(unit->group).front())) {
      queue_.remove(*unit);
      promises_.forget(*unit);
      continue;
    }
    if (is_told && queue_.is_new(*unit)) return unit;
    const std::optional<Need> need = need_of(*unit);
    const bool lacks_room = need && room_.of(need->shape, need->priority) < need->pods;
    if (!lacks_room && !is_held(*unit)) return unit;
    if (is_told && queue_.spare_if_asked_again(*unit)) return unit;
    queue_.park_untried(*unit, need);
    if (lacks_room && unit->is_group()) promises_.failed(generation_);
  }
  return std::nullopt;
}

/// Nothing where it is not known: a nominated pod has room of its own, which RoomBound counts as taken.
std::optional<Need> Dispatcher::need_of(const Unit& unit) const {
  if (unit.is_group()) return need_of(unit.group, groups_.at(unit.group));
  return cluster_.pod(unit.pod).nominated.valid() ? std::nullopt : std::optional(need_of(unit.pod));
}

std::span<const PodId> Dispatcher::pods_of(const Unit& unit) const {
  if (unit.is_group()) return groups_.at(unit.group);
  return {&unit.pod, 1};
}

Turn Dispatcher::take(Unit unit, placement::Detail detail) {
  Turn turn;
  take(unit, detail, turn);
  return turn;
}

void Dispatcher::take(Unit unit, placement::Detail detail, Turn& turn) {
  turn.clear();
  turn.unit = unit;
  evictions_.forget_asked();
  if (plans_starts()) promises_.refresh(generation_, unit);
  if (unit.is_group()) {
    decide_group(unit, detail, turn);
  } else {
    decide(unit.pod, detail, turn);
  }
  ask_for_evictions(turn);
  for (std::size_t i = 0; i < turn.pods.size() && tell_; ++i) tell_(turn.pods[i]);
  conclude_consumption(turn);
}

/// Of a group, those who leave for all of it are named already.
void Dispatcher::ask_for_evictions(Turn& turn) {
  std::set<PodId> named;
  for (const decision::Eviction& eviction : turn.evictions) named.insert(eviction.pods.begin(), eviction.pods.end());
  for (const PodTurn& pod : turn.pods) {
    std::vector<PodId> own;
    std::ranges::copy_if(pod.victims, std::back_inserter(own), [&](PodId victim) { return !named.contains(victim); });
    if (own.empty()) continue;
    for (const gang::EvictionUnit& unit : gang::units_of(cluster_, switches_.victims, now_, own)) {
      turn.evictions.push_back(decision::preemption_of(unit, Unit(pod.pod)));
    }
  }
  for (const decision::Eviction& eviction : turn.evictions) evictions_.ask(eviction);
}

void Dispatcher::conclude_consumption(const Turn& turn) {
  for (const PodTurn& pod : turn.pods) {
    if (!pod.consumed.valid()) continue;
    if (carried_out_ == CarriedOut::kAtOnce) keeper_.confirm(pod.pod);
    keeper_.refill(pod.reservation);
  }
}

// ---- planned starts -------------------------------------------------------------------------------------------------

StartPromises::Units Dispatcher::units() {
  return {[this](const Unit& unit) { return pods_of(unit); }, [this](Unit unit) { return least_of(unit); },
          [this](Unit unit) {
            const std::span<const PodId> pods = pods_of(unit);
            return try_place(unit, {pods.begin(), pods.end()});
          },
          [this](Unit unit) { return priority_of(unit); },
          [this](Unit unit) { return unit.is_group() && gang::has_topology_wish(cluster_.group(unit.group)); }};
}

std::size_t Dispatcher::least_of(const Unit& unit) const {
  if (!unit.is_group()) return 1;
  const std::int64_t waiting = std::ssize(groups_.at(unit.group));
  return static_cast<std::size_t>(std::min(cluster_.group(unit.group).still_needed(), waiting));
}

std::int32_t Dispatcher::priority_of(const Unit& unit) const {
  if (unit.is_group() && cluster_.group(unit.group).rules.priority) return *cluster_.group(unit.group).rules.priority;
  const std::span<const PodId> pods = pods_of(unit);
  std::int32_t best = cluster_.pod(pods.front()).priority;
  for (const PodId pod : pods) best = std::max(best, cluster_.pod(pod).priority);
  return best;
}

/// Places these pods of the unit in the cluster as it stands, in a transaction of the caller. False: it does not start.
bool Dispatcher::try_place(const Unit& unit, const std::vector<PodId>& pods) {
  constexpr gang::Effort kProbe{placement::Detail::kDecision, placement::Search::kNone, nullptr, gang::kProbeBudget};
  if (unit.is_group()) {
    if (is_gated(unit.group, pods.front())) return false;
    return place_group(unit.group, pods, kProbe).verdict == gang::Verdict::kStarts;
  }
  const placement::Decision decision = scheduler_.decide(unit.pod, kProbe.detail, kProbe.preemption);
  if (!decision.attempt.scheduled()) return false;
  gang::put(cluster_, scheduler_, {unit.pod, decision.attempt.node}, decision.attempt.consumes);
  return true;
}

/// Whether the unit's turn is certain to end with its being held back, so that it need not have one.
bool Dispatcher::is_held(const Unit& unit) {
  if (!plans_starts()) return false;
  promises_.refresh(generation_, unit);
  return promises_.certain_refusal(unit) != nullptr;
}

std::string Dispatcher::held_text(const Passage& passage) const {
  const Unit& unit = passage.held_by;
  if (!unit.is_group()) {
    return fmt::format("would move the planned start of pod {} at {}", cluster_.pod_text(unit.pod),
                       format_rfc3339(passage.until));
  }
  const cluster::PodGroup& group = cluster_.group(unit.group);
  return fmt::format("would move the planned start of pod group {}/{} at {}", cluster_.symbols().text(group.name_space),
                     group.name, format_rfc3339(passage.until));
}

// ---- a pod's turn ---------------------------------------------------------------------------------------------------

void Dispatcher::decide(PodId pod, placement::Detail detail, Turn& whole) {
  PodTurn& turn = whole.pods.emplace_back();
  turn.pod = pod;
  // A caller that asks for more detail gets the decision itself.
  if (const KnownFailure* known = known_failure(pod); known != nullptr && detail == placement::Detail::kDecision) {
    turn.is_repeated = true;
    turn.message = known->message;
    turn.reasons = known->reasons;
    queue_.park(Unit(pod), known->refused_by, need_of(pod));
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
    spare_groups(pod, turn.decision);
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
  turn.message = held_text(passage);
  turn.held_by = passage.held_by;
  return false;
}

Need Dispatcher::need_of(PodId pod) const {
  const cluster::PodRecord& record = cluster_.pod(pod);
  return {record.shape, record.priority, 1};
}

/// Nothing is known of groups of different pods, or of one for which room is being made.
std::optional<Need> Dispatcher::need_of(cluster::GroupId group, const Waiting& waiting) const {
  const cluster::PodRecord& first = cluster_.pod(waiting.front());
  const bool is_uniform = std::ranges::all_of(waiting, [&](PodId pod) {
    const cluster::PodRecord& record = cluster_.pod(pod);
    return record.shape == first.shape && record.priority == first.priority && !record.nominated.valid();
  });
  if (!is_uniform) return std::nullopt;
  const cluster::PodGroup& known = cluster_.group(group);
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
  queue_.remove(Unit(turn.consumed));
  promises_.forget(Unit(turn.consumed));
  const bool had_room = turn.decision.attempt.by_reservation;
  keeper_.consume(turn.pod, turn.consumed, had_room ? cluster_.pod(turn.pod).node : NodeId{});
  if (had_room && cluster_.pod(turn.consumed).shape != cluster_.pod(turn.pod).shape) capacity_freed();
}

void Dispatcher::fail(PodTurn& turn) {
  describe_failure(turn);
  const placement::Decision& decision = turn.decision;
  const cluster::PodRecord& record = cluster_.pod(turn.pod);
  const placement::Preemption& preemption = decision.preemption;
  const bool stays_nominated = record.nominated.valid() && preemption.keeps_nomination();
  if (record.nominated.valid() && !stays_nominated && preemption.node != record.nominated) {
    cluster_.nominate(turn.pod, NodeId{});
    capacity_freed();
  }
  std::vector<std::string_view> refused_by = refusing_plugins(decision);
  const bool evicts = preemption.node.valid() && !promises_.needs(Unit(turn.pod), preemption.node);
  const bool has_prospect = stays_nominated || evicts;
  queue_.park(Unit(turn.pod), refused_by, has_prospect ? std::nullopt : std::optional(need_of(turn.pod)));
  if (evicts) {
    make_room(turn, preemption.node);
  } else if (!stays_nominated && decision.attempt.error.empty() && !decision.asked_extenders &&
             !record.reservation.valid()) {
    // A pod may go where a placeholder of its shape may not. What a scoring plugin that is not built in fails with may
    // depend on what the shape does not hold: annotations.
    failures_[{record.shape, record.priority, record.preemption_policy}] = {generation_, turn.message, turn.reasons,
                                                                            std::move(refused_by)};
  }
  turn.nominated = record.nominated;
}

void Dispatcher::describe_failure(PodTurn& turn) const {
  turn.message = turn.decision.message;
  turn.reasons = count_reasons(turn.decision.attempt, scheduler_.rejections(), cluster_.node_count());
  turn.is_error = !turn.decision.attempt.error.empty();
}

std::vector<std::string_view> Dispatcher::refusing_plugins(const placement::Decision& decision) const {
  // Where evictions make room, a pod affinity may still be unmet: the attempt's filters did not come so far.
  std::vector<std::string_view> plugins = decision.attempt.rejecting_plugins;
  for (const placement::RejectionCount& counted : decision.preemption.rejections) {
    plugins.push_back(scheduler_.rejections().at(counted.rejection).plugin);
  }
  return plugins;
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

#include "brain/engine/dispatcher.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/engine/broken_groups.h"
#include "brain/gang/group_placement.h"
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
using decision::Need;
using decision::Passing;
using decision::PodTurn;
using decision::Turn;
using decision::Unit;
using decision::UnitRecord;

// ---- pods -----------------------------------------------------------------------------------------------------------

Unit Dispatcher::unit_of(PodId pod) const {
  const cluster::GroupId group = cluster_.pod(pod).group;
  return group.valid() ? Unit(group) : Unit(pod);
}

void Dispatcher::add(PodId pod, std::span<const decision::WorkloadId> under) {
  REQUIRES(!claims_.contains(pod));
  REQUIRES(scheduler_.profile(cluster_.symbols().text(cluster_.shape_of(pod).scheduler_name)) != nullptr);
  if (!cluster_.reservations().empty()) keeper_.came(pod);
  const Unit unit = unit_of(pod);
  UnitRecord& record = units_.open(unit);
  for (const decision::WorkloadId workload : under) {
    std::vector<decision::WorkloadId>& known = record.in_company().under;
    if (std::ranges::find(known, workload) != known.end()) continue;
    known.push_back(workload);
    workloads_.stand_under(workload, unit);
  }
  if (unit.is_group()) {
    promises_.forget(unit);
    promises_.arrived();
    record.in_company().members.push_back(pod);
  }
  if (record.is_in_line() && !is_held_by_workload(record)) {
    queue_.push(unit, pod);
  } else {
    enqueue(record);
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
  const Unit unit = unit_of(pod);
  promises_.forget(unit);
  UnitRecord* const record = units_.find(unit);
  if (record == nullptr) return;
  if (unit.is_group()) std::erase(record->company->members, pod);
  if (!unit.is_group() || record->members().empty()) return close(unit);
  if (record->is_in_line()) queue_.rank(unit);
  queue_.wake(unit);  // the others may fit without it
}

/// None of its pods waits any longer.
void Dispatcher::close(Unit unit) {
  const UnitRecord* const record = units_.find(unit);
  if (record == nullptr) return;
  for (const decision::WorkloadId workload : record->under()) workloads_.leave(workload, unit);
  queue_.remove(unit);
  units_.close(unit);
}

void Dispatcher::nominate(PodId pod, NodeId node) {
  cluster_.nominate(pod, node);
  queue_.forget_need(unit_of(pod));
  changed();
}

void Dispatcher::placed_elsewhere(PodId pod) {
  changed();
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
  has_news_ = true;
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

void Dispatcher::leaving(PodId pod, std::optional<decision::EvictionCause> seen) {
  const decision::Eviction& eviction = seen ? evictions_.leaving(pod, *seen) : evictions_.leaving(pod);
  cluster_.set_terminating(pod, eviction.cause == decision::EvictionCause::kPreemption);
  if (const Unit unit = unit_of(pod); unit.is_group()) {
    promises_.forget(unit);  // it needs more than was planned
    // The last pod of a later part may have kept the others from having a turn.
    const UnitRecord* const waiting = units_.find(unit);
    if (waiting != nullptr && !waiting->is_in_line()) enqueue(*waiting);
  }
  changed();
  queue_.pod_leaving(pod);
}

void Dispatcher::group_changed(cluster::GroupId group) {
  const UnitRecord* const record = units_.find(Unit(group));
  if (record == nullptr) return;
  promises_.forget(record->unit);
  if (record->is_in_line()) queue_.rank(record->unit);
  enqueue(*record);
}

/// Lets the unit have a turn, unless members are missing, or a workload that it stands under is not admitted.
void Dispatcher::enqueue(const UnitRecord& record) {
  if (!may_have_turns(record)) return queue_.remove(record.unit);
  for (const PodId pod : record.pods()) queue_.push(record.unit, pod);
}

bool Dispatcher::may_have_turns(const UnitRecord& record) const {
  if (is_held_by_workload(record)) return false;
  return !record.unit.is_group() || !is_gated(record.unit.group, record.members().front());
}

bool Dispatcher::is_held_by_workload(const UnitRecord& record) const {
  return std::ranges::any_of(record.under(), [&](auto workload) { return !workloads_.at(workload).lets_start(); });
}

/// Its units have turns from now on, or have none any more.
void Dispatcher::admission_changed(const decision::QueuedWorkload& workload) {
  for (const Unit unit : workload.waiting) {
    promises_.forget(unit);
    enqueue(units_.at(unit));
  }
}

/// Whether the group may not have a turn: members are missing, of all or of a subgroup, and its profile minds that.
bool Dispatcher::is_gated(cluster::GroupId group, PodId member) const {
  if (scheduler_.gate(member)) return true;
  return !gang::lacking_subgroups(cluster_, group).empty() && scheduler_.permit(member).has_value();
}

std::optional<decision::Why> Dispatcher::held_by_group(PodId pod) const {
  const UnitRecord* const record = units_.find(unit_of(pod));
  if (record != nullptr && is_held_by_workload(*record)) {
    return decision::Why{decision::NotAdmitted{}, {}, {}};
  }
  if (const std::optional<placement::Rejection> gate = scheduler_.gate(pod)) {
    return decision::Why{decision::Gated{gate->reasons.front()}, {}, {}};
  }
  const cluster::GroupId group = cluster_.pod(pod).group;
  if (!group.valid() || !is_gated(group, pod)) return std::nullopt;
  return decision::Why{gang::lacking_subgroups(cluster_, group).front(), {}, {}};
}

// ---- the model changed ----------------------------------------------------------------------------------------------

void Dispatcher::capacity_freed() {
  ++times_freed_;
  changed();
  queue_.room_changed();
}

void Dispatcher::reclaim() {
  failures_.clear();                                                               // named by shapes
  for (const auto& [id, group] : units_.groups()) group->company->search.reset();  // and pods
  room_.forget_unused();
  promises_.reclaim();
  evictions_.forget_gone();
  scheduler_.reclaim();
}

bool Dispatcher::flush_unschedulable() {
  // That the time of a planned start has come is news by itself: it is used, or kept for nobody any longer.
  const bool is_any_due = promises_.is_any_due();
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

bool Dispatcher::is_poll_of_use() const {
  // A group is there in part, and nobody of it waits, only where what is decided may not be carried out.
  const bool concerns_any = units_.size() > 0 || carried_out_ == decision::CarriedOut::kByHost;
  return (has_news_ && concerns_any) || (last_poll_ && overdue_.is_any_watched(*last_poll_));
}

std::optional<Instant> Dispatcher::next_deadline() {
  if (!is_poll_of_use()) {
    next_poll_.reset();
  } else if (!next_poll_ && polls_from_) {
    // The polls that nobody needed have passed.
    const std::int64_t passed = (now_ - *polls_from_).nanoseconds / kLongestWait.nanoseconds;
    next_poll_ = *polls_from_ + Duration{(passed + 1) * kLongestWait.nanoseconds};
  }
  std::optional<Instant> next = next_poll_;
  const auto consider = [&](std::optional<Instant> at) {
    if (at && *at > now_) next = std::min(next.value_or(*at), *at);
  };
  consider(promises_.next_at());
  for (const decision::Line* const line : lines_) consider(line->due_at());
  return next;
}

Overdue Dispatcher::elapse(Instant now) {
  set_now(now);
  Overdue overdue;
  const bool is_poll = next_poll_ && now >= *next_poll_;
  if (is_poll) {
    has_news_ = false;
    last_poll_ = std::exchange(next_poll_, std::nullopt);
    overdue = overdue_starts(now);
  }
  if (is_poll || promises_.is_any_due()) flush_unschedulable();
  return overdue;
}

Overdue Dispatcher::overdue_starts(Instant now) {
  evictions_.forget_asked();
  Overdue overdue = overdue_.at(now, switches_.broken);
  for (const decision::Eviction& eviction : overdue.releases) evictions_.ask(eviction);
  return overdue;
}

/// Whoever stands before a unit whose planned start has come, and asks for as much room, may be refused it for the sake
/// of others. So each of these has a turn, whatever the room is.
void Dispatcher::wake_due() {
  for (const auto& [unit, planned] : promises_.all()) {
    if (planned->at <= now_) queue_.wake(unit);
  }
}

// ---- turns ----------------------------------------------------------------------------------------------------------

bool Dispatcher::is_line_due() const {
  return std::ranges::any_of(lines_, [&](const decision::Line* line) { return line->is_due(now_); });
}

/// One of each line that is due: what its round does may make another one due, which has its round the next time.
void Dispatcher::decide_due_rounds() {
  for (decision::Line* const line : lines_) {
    if (line->is_due(now_)) line->decide_round(*this, now_);
  }
}

std::optional<Unit> Dispatcher::next() {
  if (!cluster_.reservations().empty()) keeper_.let_go_of_idle_groups();
  decide_due_rounds();
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
    const UnitRecord& record = units_.at(*unit);
    if (!may_have_turns(record)) {  // members may have gone since the group entered the queue
      queue_.remove(*unit);
      promises_.forget(*unit);
      continue;
    }
    if (is_told && queue_.is_new(*unit)) return unit;
    const std::optional<Need> need = need_of(record);
    const bool lacks_room = need && room_.of(need->shape, need->priority) < need->pods;
    if (!lacks_room && !is_held(*unit)) return unit;
    if (is_told && queue_.spare_if_asked_again(*unit)) return unit;
    queue_.park_untried(*unit, need);
    if (lacks_room && unit->is_group()) promises_.failed(generation_);
  }
  return std::nullopt;
}

/// Nothing where it is not known: a nominated pod has room of its own, which RoomBound counts as taken.
std::optional<Need> Dispatcher::need_of(const UnitRecord& record) const {
  if (record.unit.is_group()) return need_of_group(record);
  return cluster_.pod(record.unit.pod).nominated.valid() ? std::nullopt : std::optional(need_of(record.unit.pod));
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
    decide_group(units_.at(unit), detail, turn);
  } else {
    decide(unit.pod, detail, turn);
  }
  ask_for_evictions(turn);
  conclude_consumption(turn);
}

/// Of a group, those who leave for all of it are named already.
void Dispatcher::ask_for_evictions(Turn& turn) {
  std::vector<PodId> named;
  for (const decision::Eviction& eviction : turn.evictions) {
    named.insert(named.end(), eviction.pods.begin(), eviction.pods.end());
  }
  std::ranges::sort(named);
  std::vector<PodId> own;
  for (const PodTurn& pod : turn.pods) {
    own.clear();
    std::ranges::copy_if(pod.victims, std::back_inserter(own),
                         [&](PodId victim) { return !std::ranges::binary_search(named, victim); });
    if (own.empty()) continue;
    for (const gang::EvictionUnit& unit : gang::units_of(cluster_, switches_.victims, now_, own)) {
      turn.evictions.push_back(decision::preemption_of(unit, Unit(pod.pod)));
    }
  }
  for (const decision::Eviction& eviction : turn.evictions) evictions_.ask(eviction);
}

void Dispatcher::conclude_consumption(Turn& turn) {
  for (PodTurn& pod : turn.pods) {
    if (!pod.consumed.valid()) continue;
    const bool is_of_queue = keeper_.is_for_workload(pod.reservation);
    const bool is_room = cluster_.pod(pod.pod).reservation.valid();  // which there is no object to carry out of
    if (is_room || carried_out_ == CarriedOut::kAtOnce) keeper_.confirm(pod.pod);
    keeper_.refill(pod.reservation);
    if (!is_of_queue) continue;
    pod.consumed = {};  // the host has no object that it could tell of it
    pod.reservation = {};
  }
}

// ---- planned starts -------------------------------------------------------------------------------------------------

TryUnit Dispatcher::try_unit() {
  return [this](const Unit& unit, const std::vector<PodId>& pods) { return try_place(unit, pods); };
}

/// Whether the unit's turn is certain to end with its being held back, so that it need not have one.
bool Dispatcher::is_held(const Unit& unit) {
  if (!plans_starts()) return false;
  promises_.refresh(generation_, unit);
  return promises_.certain_refusal(unit) != nullptr;
}

}  // namespace loadline::engine

#include "brain/engine/start_promises.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "brain/gang/room_over_time.h"

namespace loadline::engine {

using cluster::NodeId;
using cluster::PodId;
using decision::Unit;
using gang::Place;
using gang::PlannedStart;
using gang::StartPlanner;

void StartPromises::set_switches(const gang::Switches& switches) {
  if (switches.backfill == mode_ && switches.backfill_depth == depth_) return;
  mode_ = switches.backfill;
  depth_ = switches.backfill_depth;
  starts_.clear();
  promised_.clear();
  wake_held();
  is_stale_ = true;
}

// ---- plans ----------------------------------------------------------------------------------------------------------

void StartPromises::refresh(std::uint64_t generation, std::optional<Unit> present) {
  // Without planned starts there is nothing to keep; failed() says when there may be some to plan.
  const bool is_other = generation != generation_ || now_ != planned_at_;
  if (!is_on() || (!is_stale_ && (starts_.empty() || !is_other))) return;
  const bool has_news = is_news();
  generation_ = generation;
  planned_at_ = now_;
  facts_seen_ = cluster_.facts_version();
  nodes_seen_ = cluster_.node_count();
  is_stale_ = is_plan_gone_ = false;
  refused_.clear();
  plan_anew();
  review(has_news);
  const std::size_t doubted = doubted_.size();
  const bool has_planned = plan_line(present);
  const bool has_doubted = doubted_.size() > doubted;
  // What is planned for a unit of high priority may take the places of others, and what is to stay stays for all.
  if (has_planned || has_doubted) review(false);
  is_stale_ = has_doubted;  // those before it in line may have lost theirs
  for (auto& [unit, start] : starts_) count_spare(unit, start);
}

/// A planner of the cluster as it is, which does not believe in ends that others waited for in vain.
void StartPromises::plan_anew() {
  planner_.emplace(cluster_, scheduler_, now_);
  if (doubted_.empty()) return;
  std::set<std::uint64_t> still_there;
  std::vector<PodId> pods;
  for (const gang::End& end : planner_->ends().all()) {
    if (doubted_.contains(cluster_.pod(end.pod).uid)) pods.push_back(end.pod);
  }
  for (const PodId pod : pods) {
    still_there.insert(cluster_.pod(pod).uid);
    planner_->take_to_stay(pod);
  }
  doubted_ = std::move(still_there);
}

/// Something has happened that was not foreseen, so that starts may be possible earlier.
bool StartPromises::is_news() const {
  if (starts_.empty()) return false;
  if (!planner_ || is_plan_gone_ || facts_seen_ != cluster_.facts_version() || nodes_seen_ != cluster_.node_count()) {
    return true;
  }
  return std::ranges::any_of(planner_->ends().all(), [&](const gang::End& end) {
    const cluster::PodRecord& record = cluster_.pod(end.pod);
    return end.at > now_ && (!record.known || !record.node.valid());
  });
}

/// Drops what cannot be kept, and brings forward what can be earlier.
void StartPromises::review(bool is_news) {
  std::vector<std::tuple<Instant, Unit>> order;
  for (const auto& [unit, start] : starts_) order.emplace_back(start.plan.at, unit);
  std::ranges::sort(order);
  bool has_changed = false;
  for (const auto& [at, unit] : order) {
    Start& start = starts_.at(unit);
    const StartPlanner::Others others = others_than(unit, std::nullopt);
    if (at < now_ || !planner_->has_room(start.plan, others)) {
      starts_.erase(unit);
      has_changed = true;
    } else if (is_news) {
      std::optional<PlannedStart> earlier = planner_->earliest(waiter(unit), others, at);
      if (!earlier) continue;
      start.plan = *std::move(earlier);
      promised_.insert_or_assign(unit, Promise{now_, start.plan.at});
      has_changed = true;
    }
  }
  if (has_changed) wake_held();
}

std::vector<Unit> StartPromises::line(std::optional<Unit> present) const {
  std::vector<Unit> units = queue_.first_in_line(kLookedAtPerStart * depth_, never_);
  if (!present || never_.contains(*present)) return units;
  const auto place = std::ranges::find_if(units, [&](Unit other) { return queue_.goes_before(*present, other); });
  units.insert(place, *present);
  return units;
}

/// Plans starts for units in line that have none. False: there are none to plan.
bool StartPromises::plan_line(std::optional<Unit> present) {
  judge_anew_if_nodes_changed();
  bool has_planned = false;
  for (;;) {
    const std::size_t known = never_.size();
    has_planned = plan_units(line(present)) || has_planned;
    // Those behind units that can never start move up.
    if (never_.size() == known) return has_planned;
  }
}

/// Single pods have planned starts only for the sake of groups: those before the first group that can have one.
bool StartPromises::plan_units(const std::vector<Unit>& line) {
  if (std::ranges::none_of(line, [](Unit unit) { return unit.is_group(); })) {
    if (!std::exchange(starts_, {}).empty()) wake_held();
    return false;
  }
  if (planner_->ends().all().empty() && starts_.empty()) {
    is_line_covered_ = true;
    return false;
  }
  std::vector<Unit> added;
  bool has_group = false;
  is_line_covered_ = line.size() >= kLookedAtPerStart * depth_;
  for (const Unit unit : line) {
    const bool is_enough = mode_ == gang::Backfill::kEasy && has_group;
    if (is_enough || starts_.size() >= depth_) {
      is_line_covered_ = true;
      break;
    }
    const bool has_room_made =
        std::ranges::any_of(units_.pods(unit), [&](PodId pod) { return cluster_.pod(pod).nominated.valid(); });
    if (has_room_made) continue;
    if (!starts_.contains(unit)) {
      Start start{units_.priority(unit), {}, {}};
      starts_.emplace(unit, start);
      std::optional<PlannedStart> plan = this->plan(unit);
      if (!plan) {
        starts_.erase(unit);
        could_ever_start(unit);  // if not, it takes no place in line from now on
        continue;
      }
      note_promise(unit, plan->at);
      starts_.at(unit).plan = *std::move(plan);
      added.push_back(unit);
    }
    has_group = has_group || unit.is_group();
  }
  if (std::ranges::any_of(starts_, [](const auto& each) { return each.first.is_group(); })) return !added.empty();
  for (const Unit unit : added) starts_.erase(unit);
  return false;
}

/// The earliest start of the unit, which has its priority in starts_ already. If that has slipped too far, it is
/// planned without the ends that were waited for in vain.
std::optional<PlannedStart> StartPromises::plan(Unit unit) {
  for (;;) {
    std::optional<PlannedStart> plan = planner_->earliest(waiter(unit), others_than(unit, std::nullopt));
    if (!plan || !has_slipped_too_far(unit, plan->at) || !doubt_guesses(*plan)) return plan;
  }
}

bool StartPromises::has_slipped_too_far(Unit unit, Instant at) const {
  const auto found = promised_.find(unit);
  if (found == promised_.end()) return false;
  const Promise& promise = found->second;
  return at - promise.at > std::max(promise.at - promise.made, gang::ExpectedEnds::kPatience);
}

/// The pods that the plan waits for, and that should have ended by now, are taken to stay. False: there are none.
bool StartPromises::doubt_guesses(const PlannedStart& plan) {
  std::set<NodeId> nodes;
  for (const Place& place : plan.places) nodes.insert(place.node);
  std::vector<PodId> pods;
  for (const gang::End& end : planner_->ends().all()) {
    if (end.at > plan.at) break;
    if (end.is_guess && nodes.contains(cluster_.pod(end.pod).node)) pods.push_back(end.pod);
  }
  for (const PodId pod : pods) {
    doubted_.insert(cluster_.pod(pod).uid);
    planner_->take_to_stay(pod);
  }
  return !pods.empty();
}

/// A promise that slips stays the first one, unless that is too long ago for other reasons than pods that do not end.
void StartPromises::note_promise(Unit unit, Instant at) {
  const auto [promise, is_first] = promised_.try_emplace(unit, Promise{now_, at});
  if (!is_first && (at < promise->second.at || has_slipped_too_far(unit, at))) promise->second = {now_, at};
}

void StartPromises::judge_anew_if_nodes_changed() {
  if (empty_room_.is_current()) return;
  never_.clear();
  possible_.clear();
}

bool StartPromises::could_ever_start(Unit unit) {
  judge_anew_if_nodes_changed();
  if (possible_.contains(unit) || never_.contains(unit)) return possible_.contains(unit);
  const std::span<const PodId> pods = units_.pods(unit);
  // A placeholder of its own is tried as its reservation asks; one of a group is a member like others.
  const bool holds_room_already = std::ranges::any_of(pods, [&](PodId pod) {
    return cluster_.pod(pod).nominated.valid() || (cluster_.pod(pod).reservation.valid() && !unit.is_group());
  });
  if (holds_room_already) return true;
  const bool is_possible = empty_room_.could_hold(pods, units_.least(unit));
  (is_possible ? possible_ : never_).insert(unit);
  return is_possible;
}

gang::Waiter StartPromises::waiter(const Unit& unit) const {
  const std::span<const PodId> pods = units_.pods(unit);
  return {pods, units_.least(unit), [this, unit, pods] { return try_unit_(unit, {pods.begin(), pods.end()}); }};
}

/// The planned starts that the unit's is planned around.
StartPlanner::Others StartPromises::others_than(Unit unit, std::optional<Unit> present) const {
  const std::int32_t priority = starts_.at(unit).priority;
  StartPlanner::Others others;
  for (const auto& [other, start] : starts_) {
    if (other != unit && other != present && start.priority >= priority && !start.plan.places.empty()) {
      others.push_back(&start.plan);
    }
  }
  return others;
}

const PlannedStart* StartPromises::of(Unit unit) const {
  const auto found = starts_.find(unit);
  return found == starts_.end() ? nullptr : &found->second.plan;
}

std::vector<std::pair<Unit, const PlannedStart*>> StartPromises::all() const {
  std::vector<std::pair<Unit, const PlannedStart*>> all;
  for (const auto& [unit, start] : starts_) all.emplace_back(unit, &start.plan);
  return all;
}

std::optional<Instant> StartPromises::next_at() const {
  std::optional<Instant> next;
  for (const auto& [unit, start] : starts_) {
    if (start.plan.at > now_) next = std::min(next.value_or(start.plan.at), start.plan.at);
  }
  return next;
}

bool StartPromises::is_any_due() const {
  return std::ranges::any_of(starts_, [&](const auto& each) { return each.second.plan.at <= now_; });
}

std::vector<PodId> StartPromises::awaited(const PlannedStart& start) const {
  return planner_ ? planner_->awaited(start) : std::vector<PodId>();
}

void StartPromises::forget(Unit unit) {
  held_.erase(unit);
  never_.erase(unit);
  possible_.erase(unit);
  promised_.erase(unit);
  drop(unit);
}

/// Its planned start, if it had one, is gone. What it was promised is not forgotten.
void StartPromises::drop(Unit unit) {
  if (starts_.erase(unit) == 0) return;
  is_stale_ = is_plan_gone_ = true;
  wake_held();
}

void StartPromises::reclaim() {
  planner_.reset();
  empty_room_.forget();
  never_.clear();
  possible_.clear();
  is_stale_ = true;
}

void StartPromises::failed(std::uint64_t generation) {
  const bool is_other = generation != generation_ || now_ != planned_at_ || !planner_;
  if (is_on() && (is_other || !is_line_covered_)) is_stale_ = true;
}

void StartPromises::started(Unit unit, const std::vector<PodId>& pods, std::uint64_t generation) {
  forget(unit);
  if (starts_.empty() || is_stale_ || generation != generation_ + 1) return;
  generation_ = generation;
  refused_.clear();
  for (const PodId pod : pods) planner_->note_start(pod);
  for (auto& [planned, start] : starts_) {
    for (const PodId pod : pods) {
      if (!planner_->ends().is_over(pod, start.plan.at)) take_from(start.spare, pod);
    }
  }
}

void StartPromises::wake_held() {
  for (const Unit unit : std::exchange(held_, {})) queue_.wake(unit);
}

// ---- what is certain ------------------------------------------------------------------------------------------------

std::optional<StartPromises::Likeness> StartPromises::likeness(Unit unit) const {
  const std::span<const PodId> pods = units_.pods(unit);
  const cluster::ShapeId shape = cluster_.pod(pods.front()).shape;
  const bool is_uniform = std::ranges::all_of(pods, [&](PodId pod) { return cluster_.pod(pod).shape == shape; });
  // A pod of its own may go where one with a nomination or a placeholder may not, and the other way round.
  const bool is_plain = std::ranges::none_of(
      pods, [&](PodId pod) { return cluster_.pod(pod).nominated.valid() || cluster_.pod(pod).reservation.valid(); });
  const bool is_bound = units_.is_bound_together(unit);
  if (!is_uniform || !is_plain || is_bound || starts_.contains(unit)) return std::nullopt;
  return Likeness{shape, pods.size(), units_.priority(unit)};
}

/// Whatever places the unit and the planned ones have, all that they demand would have to suffice together.
bool StartPromises::has_spare(const Start& start, Unit unit) const {
  const std::span<const PodId> pods = units_.pods(unit);
  const auto least = static_cast<std::int64_t>(units_.least(unit));
  std::vector<std::int64_t> spare = start.spare;
  for (std::int64_t i = 0; i < std::min(least, std::ssize(pods)); ++i) {
    for (const cluster::ResourceAmount& wanted : scheduler_.demand_of(pods[static_cast<std::size_t>(i)]).amounts) {
      if ((spare[wanted.resource.index()] -= wanted.amount) < 0) return false;
    }
  }
  return true;
}

/// What the pod takes of resources that its filters do not look at may be on nodes that have none free: no sum tells.
void StartPromises::take_from(std::vector<std::int64_t>& spare, PodId pod) const {
  const placement::CountableDemand& demand = scheduler_.demand_of(pod);
  for (const cluster::ResourceAmount& used : cluster_.shape_of(pod).usage) {
    if (demand.amount_of(used.resource) > 0) spare[used.resource.index()] -= used.amount;
  }
}

void StartPromises::count_spare(Unit unit, Start& start) {
  start.spare.assign(cluster_.resources().size(), 0);
  for (const NodeId node : cluster_.nodes()) {
    const gang::RoomOnNode room = gang::room_at(cluster_, planner_->ends(), node, start.plan.at);
    for (std::size_t i = 0; i < room.free.size(); ++i) start.spare[i] += std::max<std::int64_t>(room.free[i], 0);
  }
  StartPlanner::Others all = others_than(unit, std::nullopt);
  std::erase_if(all, [&](const PlannedStart* other) { return !other->is_on(start.plan.at); });
  all.push_back(&start.plan);
  for (const PlannedStart* each : all) {
    for (const Place& place : each->places) take_from(start.spare, place.pod);
  }
}

const Passage* StartPromises::certain_refusal(Unit unit) {
  if (starts_.empty()) return nullptr;
  const std::optional<Likeness> alike = likeness(unit);
  if (!alike) return nullptr;
  const std::optional<Duration> run = gang::expected_run(cluster_, units_.pods(unit));
  const auto known = refused_.find(*alike);
  if (known != refused_.end()) {
    const bool is_as_long = !run || (known->second.run && *run >= *known->second.run);
    if (is_as_long) {
      held_.insert(unit);
      return &known->second.passage;
    }
  }
  for (const Unit planned : constrained_by(unit)) {
    const Start& start = starts_.at(planned);
    if (has_spare(start, unit)) continue;
    held_.insert(unit);
    return &(refused_[*alike] = {{{}, planned, start.plan.at, {}}, run}).passage;
  }
  return nullptr;
}

}  // namespace loadline::engine

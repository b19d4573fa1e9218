// The part of StartPromises that says who may pass planned starts, and where.
#include <algorithm>
#include <tuple>
#include <utility>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/engine/start_promises.h"

namespace loadline::engine {

using cluster::NodeId;
using cluster::PodId;
using decision::Passing;
using decision::PassingRule;
using decision::Unit;
using gang::Place;
using gang::PlannedStart;
using gang::StartPlanner;

/// Those planned starts that the unit would still be there at, and that it may not move.
std::vector<Unit> StartPromises::constrained_by(Unit unit) const {
  std::vector<Unit> constraints;
  if (starts_.empty()) return constraints;
  const std::int32_t priority = units_.priority(unit);
  const std::optional<Duration> run = gang::expected_run(cluster_, units_.pods(unit));
  for (const auto& [planned, start] : starts_) {
    const bool is_over = run && now_ + *run <= start.plan.at;
    if (planned != unit && start.priority >= priority && !is_over) constraints.push_back(planned);
  }
  return constraints;
}

void StartPromises::put(const std::vector<Place>& places) {
  for (const Place& place : places) gang::put(cluster_, scheduler_, place);
}

/// Whether what the places do to the planned start, they do on their own nodes.
bool StartPromises::are_rules_local(Unit planned, std::span<const Place> places) const {
  const auto is_local = [&](PodId pod) {
    const cluster::PodShape& shape = cluster_.shape_of(pod);
    return shape.required_affinity.empty() && shape.required_anti_affinity.empty() && shape.spread.empty();
  };
  return std::ranges::all_of(units_.pods(planned), is_local) && std::ranges::all_of(places, is_local, &Place::pod);
}

/// The first of the planned starts whose places do not hold. REQUIRES: the unit is on its places.
std::optional<Unit> StartPromises::moved_by(Unit unit, const std::vector<Unit>& constraints,
                                            const std::vector<Place>& places) {
  for (const Unit planned : constraints) {
    const PlannedStart& plan = starts_.at(planned).plan;
    std::vector<NodeId> shared;
    for (const Place& place : plan.places) {
      if (std::ranges::find(places, place.node, &Place::node) != places.end()) shared.push_back(place.node);
    }
    const bool is_local = are_rules_local(planned, places);
    if (is_local && shared.empty()) continue;
    if (!planner_->holds(plan, others_than(planned, unit), is_local ? shared : std::vector<NodeId>())) return planned;
  }
  return std::nullopt;
}

/// Of the nodes on which the pod fits, and has room beside the planned starts, the one with the least room.
NodeId StartPromises::node_beside(Unit unit, const std::vector<Unit>& constraints, PodId pod) {
  std::vector<StartPlanner::Others> others;
  for (const Unit planned : constraints) others.push_back(others_than(planned, unit));
  const auto has_room_beside_all = [&](NodeId node) {
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      const PlannedStart& plan = starts_.at(constraints[i]).plan;
      if (std::ranges::find(plan.places, node, &Place::node) == plan.places.end()) continue;
      if (!planner_->has_room_beside(plan, others[i], node, pod)) return false;
    }
    return true;
  };
  std::vector<std::tuple<std::int64_t, NodeId>> candidates;
  for (const NodeId node : cluster_.nodes()) {
    const std::int64_t room = placement::pods_that_fit(scheduler_.demand_of(pod), cluster_, node);
    if (room > 0 && has_room_beside_all(node)) candidates.emplace_back(room, node);
  }
  std::ranges::sort(candidates);
  constexpr std::size_t kAtOnce = 16;
  for (std::size_t begin = 0; begin < candidates.size(); begin += kAtOnce) {
    std::vector<NodeId> nodes;
    for (std::size_t i = begin; i < std::min(begin + kAtOnce, candidates.size()); ++i) {
      nodes.push_back(std::get<NodeId>(candidates[i]));
    }
    const std::vector<NodeId> fitting = scheduler_.fitting(pod, nodes);
    if (!fitting.empty()) return fitting.front();
  }
  return {};
}

/// Other places for the same pods, which move no planned start; empty: there are none.
std::vector<Place> StartPromises::places_beside(Unit unit, const std::vector<Unit>& constraints,
                                                const std::vector<Place>& places) {
  if (units_.is_bound_together(unit)) return {};
  const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
  std::vector<Place> moved;
  for (const Place& place : places) {
    const NodeId node = node_beside(unit, constraints, place.pod);
    if (!node.valid()) return {};
    moved.push_back({place.pod, node});
    gang::put(cluster_, scheduler_, moved.back());
  }
  return moved_by(unit, constraints, moved) ? std::vector<Place>() : moved;
}

/// Gives the planned units other places at their times, beside the unit on its places, and returns those that have
/// others now. Nothing: there are none.
std::optional<std::vector<Unit>> StartPromises::make_way(Unit unit, const std::vector<Unit>& constraints,
                                                         const std::vector<Place>& places) {
  const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
  put(places);
  std::map<Unit, PlannedStart> before;
  std::vector<Unit> planned_anew;
  const auto give_up = [&] {
    for (auto& [planned, plan] : before) starts_.at(planned).plan = std::move(plan);
    return std::nullopt;
  };
  for (const Unit planned : constraints) {
    if (!moved_by(unit, {planned}, places)) continue;
    PlannedStart& plan = starts_.at(planned).plan;
    const StartPlanner::Others others = others_than(planned, unit);
    if (!planner_->could_be_at(waiter(planned), plan.at, others)) return give_up();
    std::optional<PlannedStart> other = planner_->at(waiter(planned), plan.at, others);
    if (!other) return give_up();
    before.try_emplace(planned, std::move(plan));
    plan = *std::move(other);
    planned_anew.push_back(planned);
  }
  if (moved_by(unit, constraints, places)) return give_up();
  return planned_anew;
}

/// The planned starts that others wait for and the unit does not: those before it in line. What it does to those that
/// are `constraints` is allowed by the rule; by the time of the others it has ended.
std::vector<Passing> StartPromises::passed(Unit unit, const std::vector<Unit>& constraints, PassingRule rule,
                                           const std::vector<Unit>& planned_anew) const {
  std::vector<Passing> passed;
  auto constraint = constraints.begin();  // they are in the order of starts_
  for (const auto& [planned, start] : starts_) {
    const bool is_constraint = constraint != constraints.end() && *constraint == planned;
    if (is_constraint) ++constraint;
    if (planned == unit || !queue_.goes_before(planned, unit)) continue;
    const bool has_moved = std::ranges::find(planned_anew, planned) != planned_anew.end();
    passed.push_back({planned, start.plan.at,
                      !is_constraint ? PassingRule::kEndsBefore
                      : has_moved    ? PassingRule::kPlannedAnew
                                     : rule});
  }
  return passed;
}

Passage StartPromises::pass(Unit unit, const std::vector<Place>& places) {
  const std::vector<Unit> constraints = constrained_by(unit);
  const auto pass_by = [&](std::vector<Place> on, PassingRule rule, const std::vector<Unit>& planned_anew = {}) {
    return Passage{std::move(on), {}, {}, passed(unit, constraints, rule, planned_anew)};
  };
  if (constraints.empty()) return pass_by(places, PassingRule::kFitsBeside);
  std::optional<Unit> moved;
  {
    const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
    put(places);
    moved = moved_by(unit, constraints, places);
  }
  if (!moved) return pass_by(places, PassingRule::kFitsBeside);
  if (std::vector<Place> beside = places_beside(unit, constraints, places); !beside.empty()) {
    return pass_by(std::move(beside), PassingRule::kMovedBeside);
  }
  if (const std::optional<std::vector<Unit>> planned_anew = make_way(unit, constraints, places)) {
    return pass_by(places, PassingRule::kFitsBeside, *planned_anew);
  }
  held_.insert(unit);
  Passage passage{{}, *moved, starts_.at(*moved).plan.at, {}};
  if (const std::optional<Likeness> alike = likeness(unit)) {
    refused_[*alike] = {passage, gang::expected_run(cluster_, units_.pods(unit))};
  }
  return passage;
}

std::vector<Place> StartPromises::due_places(Unit unit) {
  const PlannedStart* plan = of(unit);
  if (plan == nullptr || plan->at > now_ || plan->places.size() < units_.least(unit)) return {};
  const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
  for (const Place& place : plan->places) {
    if (!cluster_.is_node(place.node) || scheduler_.fitting(place.pod, {&place.node, 1}).empty()) return {};
    gang::put(cluster_, scheduler_, place);
  }
  return plan->places;
}

bool StartPromises::needs(Unit unit, NodeId node) const {
  if (starts_.empty()) return false;
  return std::ranges::any_of(constrained_by(unit), [&](Unit planned) {
    const std::vector<Place>& places = starts_.at(planned).plan.places;
    return std::ranges::find(places, node, &Place::node) != places.end();
  });
}

void StartPromises::settle_due(Unit unit) {
  const PlannedStart* plan = of(unit);
  if (plan == nullptr || plan->at > now_) return;
  held_.erase(unit);
  drop(unit);
}

}  // namespace loadline::engine

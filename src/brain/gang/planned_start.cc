#include "brain/gang/planned_start.h"

#include <algorithm>
#include <map>
#include <set>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/gang/room_over_time.h"

namespace loadline::gang {

using cluster::NodeId;
using cluster::PodId;

namespace {

bool is_among(std::span<const NodeId> nodes, NodeId node) {
  return nodes.empty() || std::ranges::find(nodes, node) != nodes.end();
}

}  // namespace

std::optional<Duration> expected_run(const cluster::Cluster& cluster, std::span<const PodId> pods) {
  Duration longest;
  for (const PodId pod : pods) {
    const std::optional<Duration>& own = cluster.run_facts(pod).expected;
    if (!own) return std::nullopt;
    longest = std::max(longest, *own);
  }
  return longest;
}

// ---- the cluster at a time ------------------------------------------------------------------------------------------

void StartPlanner::let_end(Instant by) {
  for (const End& end : ends_.all()) {
    if (end.at > by) return;
    if (cluster_.pod(end.pod).node.valid()) cluster_.unplace(end.pod);
  }
}

void StartPlanner::put_others(const Others& others, Instant from, std::optional<Duration> span) {
  for (const PlannedStart* other : others) {
    if (!other->is_on_within(from, span)) continue;
    for (const Place& place : other->places) put_other(place);
  }
}

/// Where two others follow each other, the node may look too full: then it is left out, which is safe.
void StartPlanner::put_other(const Place& place) {
  const cluster::PodRecord& record = cluster_.pod(place.pod);
  if (record.node.valid() || !cluster_.is_node(place.node)) return;
  if (record.nominated.valid()) cluster_.nominate(place.pod, NodeId{});
  cluster_.place(place.pod, place.node);
}

// ---- planning -------------------------------------------------------------------------------------------------------

/// Those at which something leaves, and at which resources suffice by count; ascending.
std::vector<Instant> StartPlanner::times(const Waiter& waiter, const Others& others,
                                         std::optional<Instant> before) const {
  std::vector<Instant> candidates;
  for (const End& end : ends_.all()) candidates.push_back(end.at);
  for (const PlannedStart* other : others) {
    if (other->run && other->at + *other->run > now_) candidates.push_back(other->at + *other->run);
  }
  std::ranges::sort(candidates);
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  if (candidates.empty()) return {};
  RoomOverTime room(cluster_, scheduler_, ends_, others, waiter);
  std::vector<Instant> possible;
  for (const Instant time : candidates) {
    if (before && time >= *before) break;
    if (room.suffices(time)) possible.push_back(time);
  }
  return possible;
}

bool StartPlanner::could_be_at(const Waiter& waiter, Instant time, const Others& others) const {
  return RoomOverTime(cluster_, scheduler_, ends_, others, waiter).suffices(time);
}

std::optional<PlannedStart> StartPlanner::at(const Waiter& waiter, Instant time, const Others& others) {
  PlannedStart start{time, expected_run(cluster_, waiter.pods), {}};
  const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
  let_end(time);
  put_others(others, time, start.run);
  if (!waiter.try_place()) return std::nullopt;
  for (const PodId pod : waiter.pods) {
    if (const NodeId node = cluster_.pod(pod).node; node.valid()) start.places.push_back({pod, node});
  }
  return start;
}

std::optional<PlannedStart> StartPlanner::earliest(const Waiter& waiter, const Others& others,
                                                   std::optional<Instant> before) {
  const std::vector<Instant> possible = times(waiter, others, before);
  // Counts are nearly exact, so the first time is tried first, then in growing steps.
  std::optional<PlannedStart> found;
  std::size_t least = 0;  // earlier ones failed
  std::size_t step = 1;
  for (std::size_t next = 0; !found && least < possible.size(); step *= 2) {
    found = at(waiter, possible[next], others);
    if (found) break;
    least = next + 1;
    next = std::min(next + step, possible.size() - 1);
  }
  if (!found) return std::nullopt;
  auto last = static_cast<std::size_t>(std::ranges::lower_bound(possible, found->at) - possible.begin());
  while (least < last) {
    const std::size_t middle = least + (last - least) / 2;
    if (std::optional<PlannedStart> earlier = at(waiter, possible[middle], others)) {
      found = std::move(earlier);
      last = middle;
    } else {
      least = middle + 1;
    }
  }
  return found;
}

// ---- what becomes of a plan -----------------------------------------------------------------------------------------

bool StartPlanner::has_room(const PlannedStart& start, const Others& others, std::span<const NodeId> nodes) const {
  std::map<NodeId, RoomOnNode> rooms;
  const auto room_on = [&](NodeId node) -> RoomOnNode& {
    const auto [found, is_new] = rooms.try_emplace(node);
    if (is_new) found->second = room_at(cluster_, ends_, node, start.at);
    return found->second;
  };
  for (const Place& place : start.places) {
    if (!cluster_.is_node(place.node)) return false;
    if (is_among(nodes, place.node)) room_on(place.node);
  }
  for (const PlannedStart* other : others) {
    if (!other->is_on(start.at)) continue;
    for (const Place& place : other->places) {
      if (const auto found = rooms.find(place.node); found != rooms.end()) {
        found->second.take(cluster_.shape_of(place.pod));
      }
    }
  }
  for (const Place& place : start.places) {
    if (!is_among(nodes, place.node)) continue;
    RoomOnNode& room = room_on(place.node);
    if (room.holds(scheduler_.demand_of(place.pod)) < 1) return false;
    room.take(cluster_.shape_of(place.pod));
  }
  return true;
}

bool StartPlanner::has_room_beside(const PlannedStart& start, const Others& others, NodeId node, PodId pod) const {
  RoomOnNode room = room_at(cluster_, ends_, node, start.at);
  for (const Place& place : start.places) {
    if (place.node == node) room.take(cluster_.shape_of(place.pod));
  }
  for (const PlannedStart* other : others) {
    if (!other->is_on(start.at)) continue;
    for (const Place& place : other->places) {
      if (place.node == node) room.take(cluster_.shape_of(place.pod));
    }
  }
  const placement::Profile& profile = scheduler_.profile_of(start.places.front().pod);
  if (&profile == &scheduler_.profile_of(pod)) return room.holds(scheduler_.demand_of(pod)) >= 1;
  return room.holds(placement::countable_demand(cluster_, cluster_.shape_of(pod), profile)) >= 1;
}

bool StartPlanner::holds(const PlannedStart& start, const Others& others, std::span<const NodeId> nodes) {
  if (!has_room(start, others, nodes)) return false;
  const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
  if (nodes.empty()) {
    let_end(start.at);
  } else {
    for (const NodeId node : nodes) {
      const std::vector<PodId> there = cluster_.pods_on(node);
      for (const PodId pod : there) {
        if (ends_.is_over(pod, start.at)) cluster_.unplace(pod);
      }
    }
  }
  for (const PlannedStart* other : others) {
    if (!other->is_on(start.at)) continue;
    for (const Place& place : other->places) {
      if (is_among(nodes, place.node)) put_other(place);
    }
  }
  for (const Place& place : start.places) {
    if (!is_among(nodes, place.node)) continue;
    if (scheduler_.fitting(place.pod, {&place.node, 1}).empty()) return false;
    put(cluster_, scheduler_, place);
  }
  return true;
}

std::vector<PodId> StartPlanner::awaited(const PlannedStart& start) const {
  std::set<NodeId> nodes;
  for (const Place& place : start.places) nodes.insert(place.node);
  std::vector<PodId> pods;
  for (const End& end : ends_.all()) {
    if (end.at > start.at) break;
    if (nodes.contains(cluster_.pod(end.pod).node)) pods.push_back(end.pod);
  }
  return pods;
}

}  // namespace loadline::gang

#include "brain/gang/room_over_time.h"

#include <algorithm>
#include <map>

#include "brain/gang/planned_start.h"

namespace loadline::gang {

using cluster::NodeId;
using cluster::PodId;

void RoomOnNode::take(const cluster::PodShape& shape) {
  for (const cluster::ResourceAmount& used : shape.usage) free[used.resource.index()] -= used.amount;
  --pods;
}

void RoomOnNode::give_back(const cluster::PodShape& shape) {
  for (const cluster::ResourceAmount& used : shape.usage) free[used.resource.index()] += used.amount;
  ++pods;
}

std::int64_t RoomOnNode::holds(const placement::CountableDemand& demand) const {
  return placement::pods_that_fit(demand, pods, [&](cluster::ResourceId resource) { return free[resource.index()]; });
}

RoomOnNode room_now(const cluster::Cluster& cluster, NodeId node) {
  RoomOnNode room;
  room.free.resize(cluster.resources().size());
  for (std::size_t i = 0; i < room.free.size(); ++i) {
    const cluster::ResourceId resource(static_cast<std::uint32_t>(i));
    room.free[i] = cluster.allocatable(node, resource) - cluster.requested(node, resource);
  }
  room.pods = cluster.allowed_pods(node) - static_cast<std::int64_t>(cluster.pods_on(node).size());
  return room;
}

RoomOnNode room_at(const cluster::Cluster& cluster, const ExpectedEnds& ends, NodeId node, Instant time) {
  RoomOnNode room = room_now(cluster, node);
  for (const PodId pod : cluster.pods_on(node)) {
    if (ends.is_over(pod, time)) room.give_back(cluster.shape_of(pod));
  }
  return room;
}

RoomOverTime::RoomOverTime(const cluster::Cluster& cluster, placement::Scheduler& scheduler, const ExpectedEnds& ends,
                           const std::vector<const PlannedStart*>& others, const Waiter& waiter)
    : cluster_(cluster),
      ends_(ends),
      others_(others),
      run_(expected_run(cluster, waiter.pods)),
      rooms_(cluster.node_slots()),
      is_put_(others.size()) {
  std::map<cluster::ShapeId, std::int64_t> pods_of;
  for (const PodId pod : waiter.pods) ++pods_of[cluster.pod(pod).shape];
  const auto spare = static_cast<std::int64_t>(waiter.pods.size() - std::min(waiter.least, waiter.pods.size()));
  for (const auto& [shape, pods] : pods_of) {
    if (pods <= spare) continue;
    kinds_.push_back({scheduler.demand_of(shape), pods - spare, 0, std::vector<std::int64_t>(cluster.node_slots())});
  }
  for (const NodeId node : cluster.nodes()) {
    rooms_[node.index()] = room_now(cluster, node);
    recount(node);
  }
}

void RoomOverTime::recount(NodeId node) {
  for (Kind& kind : kinds_) {
    const std::int64_t room = rooms_[node.index()].holds(kind.demand);
    kind.total += room - kind.by_node[node.index()];
    kind.by_node[node.index()] = room;
  }
}

bool RoomOverTime::suffices(Instant time) {
  const std::vector<End>& ends = ends_.all();
  for (; ended_ < ends.size() && ends[ended_].at <= time; ++ended_) {
    const NodeId node = cluster_.pod(ends[ended_].pod).node;
    if (!node.valid()) continue;
    rooms_[node.index()].give_back(cluster_.shape_of(ends[ended_].pod));
    recount(node);
  }
  for (std::size_t i = 0; i < others_.size(); ++i) {
    const bool is_on = others_[i]->is_on_within(time, run_);
    if (is_on == (is_put_[i] != 0)) continue;
    is_put_[i] = is_on ? 1 : 0;
    for (const Place& place : others_[i]->places) {
      if (!cluster_.is_node(place.node)) continue;
      RoomOnNode& room = rooms_[place.node.index()];
      if (is_on) {
        room.take(cluster_.shape_of(place.pod));
      } else {
        room.give_back(cluster_.shape_of(place.pod));
      }
      recount(place.node);
    }
  }
  return std::ranges::all_of(kinds_, [](const Kind& kind) { return kind.total >= kind.wanted; });
}

}  // namespace loadline::gang

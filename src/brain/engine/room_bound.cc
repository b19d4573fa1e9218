#include "brain/engine/room_bound.h"

#include <algorithm>

namespace loadline::engine {

using cluster::NodeId;

namespace {

std::int64_t amount_of(const cluster::PodShape& shape, cluster::ResourceId resource) {
  for (const cluster::ResourceAmount& used : shape.usage) {
    if (used.resource == resource) return used.amount;
  }
  return 0;
}

}  // namespace

bool RoomBound::Less::operator()(const Key& a, const Key& b) const {
  const auto& [a_demand, a_priority] = a;
  const auto& [b_demand, b_priority] = b;
  if (a_priority != b_priority) return a_priority < b_priority;
  return std::lexicographical_compare(
      a_demand.amounts.begin(), a_demand.amounts.end(), b_demand.amounts.begin(), b_demand.amounts.end(),
      [](const cluster::ResourceAmount& one, const cluster::ResourceAmount& other) {
        return std::tie(one.resource, one.amount) < std::tie(other.resource, other.amount);
      });
}

std::int64_t RoomBound::of(cluster::ShapeId shape, std::int32_t priority) {
  const placement::CountableDemand& demand = scheduler_.demand_of(shape);
  if (!demand.takes_place) return placement::kNoLimit;
  catch_up();
  const Key key{demand, priority};
  auto found = counts_.find(key);
  if (found == counts_.end()) {
    if (is_full()) return placement::kNoLimit;
    found = counts_.try_emplace(key).first;
    recount(key, found->second);
  }
  found->second.is_used = true;
  return found->second.total;
}

/// Pods of any user can demand what no other demands.
bool RoomBound::is_full() const {
  constexpr std::size_t kMostCounts = std::size_t{1} << 25U;  // a quarter of a GiB
  return counts_.size() * std::max<std::size_t>(cluster_.node_slots(), 1) >= kMostCounts;
}

void RoomBound::forget_unused() {
  std::erase_if(counts_, [](const auto& each) { return !each.second.is_used; });
  for (auto& [key, count] : counts_) count.is_used = false;
}

void RoomBound::catch_up() {
  const cluster::ChangeLog& changes = cluster_.changes();
  if (seen_ == changes.end()) return;
  const auto news = changes.since(seen_);
  seen_ = changes.end();
  const bool is_too_much = !news || news->size() > cluster_.node_count();
  // What was tried and undone stands there several times.
  std::vector<NodeId> changed;
  if (!is_too_much) changed.assign(news->begin(), news->end());
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  for (auto& [key, count] : counts_) {
    if (is_too_much) {
      recount(key, count);
      continue;
    }
    count.by_node.resize(cluster_.node_slots());
    for (const NodeId node : changed) {
      const std::int64_t now = cluster_.is_node(node) ? room_on(node, key) : 0;
      count.total += now - count.by_node[node.index()];
      count.by_node[node.index()] = now;
    }
  }
}

void RoomBound::recount(const Key& key, Count& count) {
  count.by_node.assign(cluster_.node_slots(), 0);
  count.total = 0;
  for (const NodeId node : cluster_.nodes()) {
    count.by_node[node.index()] = room_on(node, key);
    count.total += count.by_node[node.index()];
  }
}

std::int64_t RoomBound::room_on(NodeId node, const Key& key) const {
  const auto& [demand, priority] = key;
  const auto stays = [&, least = priority](cluster::PodId pod) {
    const cluster::PodRecord& record = cluster_.pod(pod);
    return record.priority >= least && !record.reservation.valid();
  };
  const std::vector<cluster::PodId>& pods = cluster_.pods_on(node);
  const std::vector<cluster::PodId>& hopeful = cluster_.nominated_to(node);
  const std::int64_t places = cluster_.allowed_pods(node) - std::count_if(pods.begin(), pods.end(), stays) -
                              std::count_if(hopeful.begin(), hopeful.end(), stays);
  return placement::pods_that_fit(demand, places, [&](cluster::ResourceId resource) {
    std::int64_t free = cluster_.allocatable(node, resource) - cluster_.requested(node, resource);
    for (const cluster::PodId pod : pods) {
      if (!stays(pod)) free += amount_of(cluster_.shape_of(pod), resource);
    }
    for (const cluster::PodId pod : hopeful) {
      if (stays(pod)) free -= amount_of(cluster_.shape_of(pod), resource);
    }
    return free;
  });
}

}  // namespace loadline::engine

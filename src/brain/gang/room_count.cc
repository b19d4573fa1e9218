#include "brain/gang/room_count.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace loadline::gang {

using cluster::NodeId;
using cluster::PodId;

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

}  // namespace

std::vector<RoomNeed> room_needs(const cluster::Cluster& cluster, placement::Scheduler& scheduler,
                                 std::span<const PodId> members, std::size_t least) {
  std::map<std::pair<cluster::ShapeId, std::int32_t>, std::int64_t> kinds;
  for (const PodId pod : members) ++kinds[{cluster.pod(pod).shape, cluster.pod(pod).priority}];
  std::vector<RoomNeed> needs;
  for (const auto& [kind, count] : kinds) {
    const std::int64_t others = std::ssize(members) - count;
    const std::int64_t needed = std::clamp<std::int64_t>(static_cast<std::int64_t>(least) - others, 0, count);
    needs.push_back({kind.first, scheduler.demand_of(kind.first), kind.second, needed, {}});
  }
  return needs;
}

RoomCount::RoomCount(const cluster::Cluster& cluster, std::vector<RoomNeed> needs)
    : cluster_(cluster), columns_(cluster.resources().size(), kNone), places_(cluster.node_slots(), kNowhere) {
  for (RoomNeed& need : needs) add_kind(std::move(need));
  for (const Kind& kind : kinds_) {
    for (const NodeId node : kind.need.nodes) add_node(node);
  }
  const std::size_t nodes = free_.size() / (resources_.size() + 1);
  for (Kind& kind : kinds_) {
    kind.nodes.resize(nodes);
    for (const NodeId node : kind.need.nodes) kind.nodes[places_[node.index()]] = true;
  }
  count_nominated();
  count_together();
  room_.resize(nodes * (kinds_.size() + pools_.size()));
  is_shifted_.resize(nodes);
  for (Place place = 0; place < nodes; ++place) recount(place);
}

void RoomCount::add_kind(RoomNeed need) {
  Kind kind{std::move(need), {}, {}};
  for (const cluster::ResourceAmount& wanted : kind.need.demand.amounts) {
    std::size_t& column = columns_[wanted.resource.index()];
    if (column == kNone) {
      column = resources_.size();
      resources_.push_back(wanted.resource);
    }
    kind.requests.emplace_back(column, wanted.amount);
  }
  kinds_.push_back(std::move(kind));
}

/// Gives the node a place, and notes what is free on it, unless it has one.
void RoomCount::add_node(NodeId node) {
  Place& place = places_[node.index()];
  if (place != kNowhere) return;
  place = static_cast<Place>(free_.size() / (resources_.size() + 1));
  for (const cluster::ResourceId resource : resources_) {
    free_.push_back(cluster_.allocatable(node, resource) - cluster_.requested(node, resource));
  }
  free_.push_back(cluster_.allowed_pods(node) - std::ssize(cluster_.pods_on(node)));
}

/// Kinds that share nodes.
void RoomCount::count_together() {
  const auto asks_for = [](const Kind& kind, std::size_t column) {
    const auto found = std::ranges::find(kind.requests, column, &std::pair<std::size_t, std::int64_t>::first);
    return found == kind.requests.end() ? 0 : found->second;
  };
  const auto includes = [&](const Kind& larger, const Kind& kind) {
    if (kind.need.demand.takes_place && !larger.need.demand.takes_place) return false;
    for (const auto& [column, amount] : kind.requests) {
      if (asks_for(larger, column) < amount) return false;
    }
    return std::ranges::all_of(larger.need.nodes, [&](NodeId node) { return kind.nodes[places_[node.index()]]; });
  };
  for (Kind& kind : kinds_) {
    for (const Kind& other : kinds_) {
      const bool is_itself = &other == &kind;
      if (!is_itself && (other.need.members == 0 || !includes(other, kind))) continue;
      kind.counted += other.need.members;
      ++kind.kinds;
    }
  }
  for (std::size_t column = 0; column < resources_.size() && kinds_.size() > 1; ++column) pool(column);
}

/// Counts what all kinds ask for of the resource, if several do.
void RoomCount::pool(std::size_t column) {
  Pool pool;
  pool.column = column;
  std::size_t kinds = 0;
  pool.nodes.resize(free_.size() / (resources_.size() + 1));
  for (const Kind& kind : kinds_) {
    for (const auto& [asked, amount] : kind.requests) {
      if (asked != column || kind.need.members == 0) continue;
      ++kinds;
      pool.wanted += amount * kind.need.members;
      pool.one_of_each += amount;
      pool.largest = std::max(pool.largest, amount);
      pool.divisor = std::gcd(pool.divisor, amount);
      for (const NodeId node : kind.need.nodes) pool.nodes[places_[node.index()]] = true;
    }
  }
  if (kinds > 1) pools_.push_back(std::move(pool));
}

/// Room is kept for pods that are nominated, unless all members go before them.
void RoomCount::count_nominated() {
  std::int32_t highest = std::numeric_limits<std::int32_t>::min();
  for (const Kind& kind : kinds_) highest = std::max(highest, kind.need.priority);
  for (const NodeId node : cluster_.nominated_nodes()) {
    const Place place = places_[node.index()];
    if (place == kNowhere) continue;
    for (const PodId pod : cluster_.nominated_to(node)) {
      if (cluster_.pod(pod).priority >= highest) shift_one(pod, place, -1);
    }
  }
}

std::int64_t RoomCount::room_on(const Kind& kind, Place place) const {
  if (!kind.nodes[place]) return 0;
  const std::int64_t* free = &free_[place * (resources_.size() + 1)];
  std::int64_t room = kind.need.demand.takes_place ? free[resources_.size()] : placement::kNoLimit;
  for (const auto& [column, amount] : kind.requests) room = std::min(room, free[column] / amount);
  return std::max<std::int64_t>(room, 0);
}

/// What the pool's kinds can use of what is free.
std::int64_t RoomCount::room_on(const Pool& pool, Place place) const {
  if (!pool.nodes[place]) return 0;
  const std::int64_t free = free_[place * (resources_.size() + 1) + pool.column];
  return std::max<std::int64_t>(free, 0) / pool.divisor * pool.divisor;
}

void RoomCount::recount(Place place) {
  std::int64_t* known = &room_[place * (kinds_.size() + pools_.size())];
  const auto count = [&](auto& counted) {
    const std::int64_t room = room_on(counted, place);
    counted.room += room - *known;
    *known++ = room;
  };
  for (Kind& kind : kinds_) count(kind);
  for (Pool& pool : pools_) count(pool);
}

void RoomCount::shift_one(PodId pod, Place place, std::int64_t sign) {
  std::int64_t* free = &free_[place * (resources_.size() + 1)];
  for (const cluster::ResourceAmount& used : cluster_.shape_of(pod).usage) {
    const std::size_t column = columns_[used.resource.index()];
    if (column != kNone) free[column] += sign * used.amount;
  }
  free[resources_.size()] += sign;
}

/// Many pods of a gang share a node, which is counted once for all of them.
void RoomCount::shift(std::span<const PodId> pods, std::int64_t sign) {
  shifted_.clear();
  for (const PodId pod : pods) {
    const Place place = places_[cluster_.pod(pod).node.index()];
    if (place == kNowhere) continue;
    shift_one(pod, place, sign);
    if (is_shifted_[place]) continue;
    is_shifted_[place] = true;
    shifted_.push_back(place);
  }
  for (const Place place : shifted_) {
    recount(place);
    is_shifted_[place] = false;
  }
}

void RoomCount::remove(std::span<const PodId> pods) { shift(pods, 1); }
void RoomCount::restore(std::span<const PodId> pods) { shift(pods, -1); }

std::int64_t RoomCount::share_of(PodId pod) const {
  std::int64_t share = 0;
  for (const cluster::ResourceAmount& used : cluster_.shape_of(pod).usage) {
    for (const Kind& kind : kinds_) {
      for (const auto& [column, amount] : kind.requests) {
        if (column == columns_[used.resource.index()]) share += std::min(used.amount, amount) * 1000 / amount;
      }
    }
  }
  return share;
}

std::int64_t RoomCount::missing() const { return missing(0); }

std::int64_t RoomCount::missing(std::int64_t slack) const {
  std::int64_t missing = 0;
  for (const Kind& kind : kinds_) {
    if (kind.counted > 0) missing += std::max<std::int64_t>(0, kind.counted + slack * kind.kinds - kind.room);
  }
  for (const Pool& pool : pools_) {
    const std::int64_t lacking = pool.wanted + slack * pool.one_of_each - pool.room;
    if (lacking > 0) missing += (lacking + pool.largest - 1) / pool.largest;
  }
  return missing;
}

}  // namespace loadline::gang

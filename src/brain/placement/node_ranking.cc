#include "brain/placement/node_ranking.h"

#include <algorithm>
#include <functional>

#include "foundation/base/contract.h"

namespace loadline::placement {

using cluster::NodeId;

namespace {

constexpr std::uint32_t kRefused = std::uint32_t{1} << 31;
constexpr std::uint32_t kAside = ~std::uint32_t{0};
constexpr std::size_t kFewEntries = 32;

}  // namespace

std::size_t NodeRanking::KeyHash::operator()(const ClassKey& key) const {
  std::size_t hash = key.size();
  for (const std::uint32_t word : key) hash = (hash ^ word) * 0x9E3779B97F4A7C15;
  return hash ^ (hash >> 32);
}

void NodeRanking::reset(std::span<const NodeId> order, std::size_t slots) {
  order_.assign(order.begin(), order.end());
  place_.assign(slots, kAside);
  position_.assign(slots, 0);
  for (std::size_t i = 0; i < order.size(); ++i) position_[order[i].index()] = static_cast<std::uint32_t>(i);
  refused_.clear();
  classes_.clear();
  class_by_key_.clear();
  buckets_.clear();
  free_buckets_.clear();
}

void NodeRanking::make_room(std::size_t slots) {
  if (place_.size() >= slots) return;
  place_.resize(slots, kAside);
  position_.resize(slots);
}

std::uint32_t NodeRanking::class_of(const ClassKey& key) {
  const auto [entry, fresh] = class_by_key_.try_emplace(key, static_cast<std::uint32_t>(classes_.size()));
  if (fresh) classes_.push_back({key, 0, {}});
  return entry->second;
}

void NodeRanking::sort_out(std::vector<NodeId>& nodes) {
  constexpr std::size_t kFewNodes = 64;
  if (nodes.size() <= kFewNodes) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return;
  }
  seen_.reset(place_.size());
  for (const NodeId node : nodes) seen_.insert(node);
  nodes.clear();
  seen_.for_each([&](NodeId node) { nodes.push_back(node); });
}

RejectionId NodeRanking::rejection(NodeId node) const {
  const std::uint32_t place = place_[node.index()];
  if (place == kAside) return {};
  return (place & kRefused) != 0 ? RejectionId{place & ~kRefused} : kPassed;
}

void NodeRanking::refuse(NodeId node, RejectionId rejection) {
  leave(node);
  place_[node.index()] = rejection.valid() ? kRefused | rejection.value : kAside;
  if (!rejection.valid()) return;
  if (refused_.size() <= rejection.index()) refused_.resize(rejection.index() + 1);
  ++refused_[rejection.index()];
}

void NodeRanking::leave(NodeId node) {
  const std::uint32_t place = place_[node.index()];
  if (place == kAside) return;
  if ((place & kRefused) != 0) {
    --refused_[place & ~kRefused];
    return;
  }
  --buckets_[place].nodes;
  --classes_[buckets_[place].class_id].nodes;
}

void NodeRanking::enter(NodeId node, std::uint32_t class_id, std::int64_t score) {
  const std::uint32_t before = place_[node.index()];
  if ((before & kRefused) == 0 && buckets_[before].class_id == class_id && buckets_[before].score == score) return;
  leave(node);
  const std::uint32_t at = bucket(class_id, score);
  Bucket& bucket = buckets_[at];
  place_[node.index()] = at;
  ++bucket.nodes;
  ++classes_[class_id].nodes;
  // A node that comes and goes leaves entries behind; they may not outgrow what is there.
  if (bucket.heap.size() > std::size_t{2} * bucket.nodes + kFewEntries) drop_gone(at);
  bucket.heap.push_back(position(node));
  std::push_heap(bucket.heap.begin(), bucket.heap.end(), std::greater<>());
}

std::uint32_t NodeRanking::bucket(std::uint32_t class_id, std::int64_t score) {
  std::vector<std::uint32_t>& by_score = classes_[class_id].by_score;
  const auto at = std::lower_bound(by_score.begin(), by_score.end(), score,
                                   [&](std::uint32_t id, std::int64_t wanted) { return buckets_[id].score < wanted; });
  if (at != by_score.end() && buckets_[*at].score == score) return *at;
  std::uint32_t id = static_cast<std::uint32_t>(buckets_.size());
  if (free_buckets_.empty()) {
    buckets_.emplace_back();
  } else {
    id = free_buckets_.back();
    free_buckets_.pop_back();
  }
  buckets_[id].score = score;
  buckets_[id].class_id = class_id;
  by_score.insert(at, id);
  return id;
}

/// Leaves one entry for each node that is still there.
void NodeRanking::drop_gone(std::uint32_t id) {
  std::vector<std::uint32_t>& heap = buckets_[id].heap;
  std::erase_if(heap, [&](std::uint32_t position) { return place_[order_[position].index()] != id; });
  std::sort(heap.begin(), heap.end());
  heap.erase(std::unique(heap.begin(), heap.end()), heap.end());
}

NodeRanking::Leader NodeRanking::leader(std::uint32_t class_id) {
  REQUIRES(class_id < classes_.size() && classes_[class_id].nodes > 0);
  std::vector<std::uint32_t>& by_score = classes_[class_id].by_score;
  while (buckets_[by_score.back()].nodes == 0) {
    buckets_[by_score.back()].heap.clear();
    free_buckets_.push_back(by_score.back());
    by_score.pop_back();
  }
  const std::uint32_t id = by_score.back();
  Bucket& bucket = buckets_[id];
  while (place_[order_[bucket.heap.front()].index()] != id) {
    std::pop_heap(bucket.heap.begin(), bucket.heap.end(), std::greater<>());
    bucket.heap.pop_back();
  }
  const std::uint32_t position = bucket.heap.front();
  return {order_[position], bucket.score, position};
}

}  // namespace loadline::placement

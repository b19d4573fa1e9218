#include "brain/placement/dry_run_memory.h"

#include <algorithm>
#include <utility>

namespace loadline::placement {

using cluster::NodeId;

namespace {

constexpr std::size_t kFewEntries = 32;

}  // namespace

void DryRunMemory::catch_up(const cluster::Cluster& cluster) {
  const auto changes = cluster.changes().since(caught_up_);
  if (changes && budget_version_ == cluster.budget_version()) {
    memories_.resize(cluster.node_slots());
    rejections_.resize(cluster.node_slots());
    for (const NodeId node : *changes) forget(node);
  } else {
    forget_all(cluster);
  }
  caught_up_ = cluster.changes().end();
  budget_version_ = cluster.budget_version();
}

void DryRunMemory::forget(NodeId node) {
  Memory& memory = memories_[node.index()];
  memory.known = false;
  ++memory.stamp;
  if (RejectionId& rejection = rejections_[node.index()]; rejection.valid()) {
    tally_.remove(rejection);
    rejection = RejectionId{};
  }
  if (!memory.awaited) unknown_.push_back(node);
  memory.awaited = true;
}

void DryRunMemory::forget_all(const cluster::Cluster& cluster) {
  const std::vector<NodeId>& order = cluster.scan_order();
  memories_.assign(cluster.node_slots(), {});
  for (const NodeId node : order) memories_[node.index()].awaited = true;
  rejections_.assign(cluster.node_slots(), RejectionId{});
  tally_ = {};
  heap_.clear();
  unknown_ = order;
}

void DryRunMemory::set_aside(NodeId node) {
  forget(node);
  aside_ = node;
}

/// All but the node set aside, which stays unknown; those that are gone among them go.
std::vector<NodeId> DryRunMemory::take_unknown(const cluster::Cluster& cluster) {
  std::vector<NodeId> taken;
  taken.swap(unknown_);
  if (aside_.valid() && std::erase(taken, aside_) > 0) unknown_.push_back(aside_);
  aside_ = NodeId{};
  for (const NodeId node : taken) memories_[node.index()].awaited = false;
  std::erase_if(taken, [&](NodeId node) { return !cluster.is_node(node); });
  std::ranges::sort(taken, {}, [&](NodeId node) { return cluster.scan_place(node); });
  return taken;
}

void DryRunMemory::remember(const cluster::Cluster& cluster, DryRun run, NodeId node) {
  Memory& memory = memories_[node.index()];
  memory.known = true;
  if (!run.candidate) {
    rejections_[node.index()] = run.rejection;
    if (run.rejection.valid()) tally_.add(run.rejection);
    return;
  }
  memory.candidate = std::move(*run.candidate);
  if (heap_.size() > 2 * memories_.size() + kFewEntries) drop_forgotten();
  heap_.push_back({eviction_cost(cluster, memory.candidate), cluster.scan_place(node), node, memory.stamp});
  std::push_heap(heap_.begin(), heap_.end(), worse);
}

/// What changed and is a candidate again leaves entries behind; they may not outgrow what is there.
void DryRunMemory::drop_forgotten() {
  std::erase_if(heap_, [this](const Entry& entry) { return memories_[entry.node.index()].stamp != entry.stamp; });
  std::make_heap(heap_.begin(), heap_.end(), worse);
}

bool DryRunMemory::worse(const Entry& a, const Entry& b) {
  return a.cost != b.cost ? a.cost > b.cost : a.place > b.place;
}

const Candidate* DryRunMemory::best() {
  while (!heap_.empty()) {
    const Entry& first = heap_.front();
    const Memory& memory = memories_[first.node.index()];
    if (memory.known && memory.stamp == first.stamp) return &memory.candidate;
    std::pop_heap(heap_.begin(), heap_.end(), worse);
    heap_.pop_back();
  }
  return nullptr;
}

}  // namespace loadline::placement

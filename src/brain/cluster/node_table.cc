#include "brain/cluster/node_table.h"

#include <algorithm>
#include <utility>

namespace loadline::cluster {

NodeId NodeTable::add(const kube::Node& node, NodeFacts facts) {
  const NodeId id = unused_.take(facts_.size());
  if (id.index() == facts_.size()) {
    facts_.emplace_back();
    objects_.emplace_back();
    created_.push_back(0);
    versions_.push_back(0);
  }
  facts_[id.index()] = std::move(facts);
  objects_[id.index()] = node;
  created_[id.index()] = nodes_created_++;
  touch(id);
  in_order_.push_back(id);
  by_name_[facts_[id.index()].name] = id;
  if (are_places_settled_) {
    take_place(id);
    const auto place = [this](NodeId other) { return scan_places_[other.index()]; };
    scan_order_.insert(std::ranges::upper_bound(scan_order_, place(id), {}, place), id);
  }
  return id;
}

void NodeTable::set_facts(NodeId id, NodeFacts facts) {
  if (facts_[slot(id)].zone != facts.zone) are_places_settled_ = false;
  facts_[slot(id)] = std::move(facts);
}

bool NodeTable::remove(NodeId id) {
  const bool others_stay = leave_place(id);
  // What was tried is undone last first.
  if (in_order_.back() == id) {
    in_order_.pop_back();
  } else {
    std::erase(in_order_, id);
  }
  by_name_.erase(facts(id).name);
  facts_[id.index()] = {};
  objects_[id.index()] = {};
  touch(id);
  unused_.give_back(id);
  return others_stay;
}

void NodeTable::restore(NodeId id, Masked masked) {
  const NodeId freed = unused_.take(slots());
  REQUIRES(freed == id);
  by_name_[masked.facts.name] = id;
  facts_[id.index()] = std::move(masked.facts);
  objects_[id.index()] = std::move(masked.object);
  created_[id.index()] = masked.created;
  versions_[id.index()] = masked.version;
  const auto created = [this](NodeId node) { return created_[node.index()]; };
  in_order_.insert(std::ranges::upper_bound(in_order_, masked.created, {}, created), id);
  are_places_settled_ = false;
}

NodeId NodeTable::find(Symbol name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? NodeId{} : found->second;
}

// ---- scan order -----------------------------------------------------------------------------------------------------

void NodeTable::settle_places() const {
  zones_.clear();
  zones_made_ = 0;
  for (const NodeId node : in_order_) take_place(node);
  scan_order_ = in_order_;
  std::ranges::sort(scan_order_, {}, [this](NodeId node) { return scan_places_[node.index()]; });
  are_places_settled_ = true;
}

/// Behind the others of its zone, and of all zones' nodes of that number by when their zones began.
void NodeTable::take_place(NodeId id) const {
  const auto [zone, is_new] = zones_.try_emplace(facts(id).zone);
  if (is_new) zone->second.order = zones_made_++;
  scan_places_.resize(std::max(scan_places_.size(), slots()));
  scan_places_[id.index()] = std::uint64_t{zone->second.nodes++} << 32 | zone->second.order;
}

bool NodeTable::leave_place(NodeId id) {
  if (!are_places_settled_) return false;
  const std::uint64_t place = scan_places_[id.index()];
  const auto zone = zones_.find(facts(id).zone);
  if ((place >> 32) + 1 != zone->second.nodes) {
    are_places_settled_ = false;
    return false;
  }
  if (--zone->second.nodes == 0) zones_.erase(zone);
  scan_order_.erase(
      std::ranges::lower_bound(scan_order_, place, {}, [this](NodeId node) { return scan_places_[node.index()]; }));
  return true;
}

}  // namespace loadline::cluster

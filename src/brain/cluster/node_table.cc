#include "brain/cluster/node_table.h"

#include <map>
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
  scan_order_.clear();
  return id;
}

void NodeTable::set_facts(NodeId id, NodeFacts facts) {
  if (facts_[slot(id)].zone != facts.zone) scan_order_.clear();
  facts_[slot(id)] = std::move(facts);
}

void NodeTable::remove(NodeId id) {
  std::erase(in_order_, id);
  by_name_.erase(facts(id).name);
  facts_[id.index()] = {};
  objects_[id.index()] = {};
  touch(id);
  unused_.give_back(id);
  scan_order_.clear();
}

NodeId NodeTable::find(Symbol name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? NodeId{} : found->second;
}

const std::vector<NodeId>& NodeTable::scan_order() const {
  if (scan_order_.size() == in_order_.size()) return scan_order_;
  std::vector<Symbol> zones;
  std::map<Symbol, std::vector<NodeId>> members;
  for (const NodeId node : in_order_) {
    auto& zone = members[facts(node).zone];
    if (zone.empty()) zones.push_back(facts(node).zone);
    zone.push_back(node);
  }
  scan_order_.clear();
  for (std::size_t turn = 0; scan_order_.size() < in_order_.size(); ++turn) {
    for (const Symbol zone : zones) {
      if (turn < members[zone].size()) scan_order_.push_back(members[zone][turn]);
    }
  }
  return scan_order_;
}

}  // namespace loadline::cluster

// The part of Cluster that keeps nodes: their facts, what they offer, and the change logs that list those that changed.
#include <algorithm>

#include "brain/cluster/cluster.h"
#include "foundation/base/contract.h"

namespace loadline::cluster {

NodeId Cluster::add_node(const kube::Node& node) {
  REQUIRES(unseen_ == 0 && !find_node(node.metadata.name).valid());
  const NodeId id = unused_nodes_.take(facts_.size());
  if (id.index() == facts_.size()) {
    facts_.emplace_back();
    node_objects_.emplace_back();
    created_.push_back(0);
    node_versions_.push_back(0);
    nonzero_cpu_.push_back(0);
    nonzero_memory_.push_back(0);
    allowed_pods_.push_back(0);
    port_users_.push_back(0);
    pods_on_.emplace_back();
    nominations_.make_room_for(facts_.size());
  }
  const std::vector<KeyForm> forms = key_forms();
  node_objects_[id.index()] = node;
  facts_[id.index()] = compile_facts(node, symbols_);
  created_[id.index()] = nodes_created_++;
  node_versions_[id.index()] = ++node_changes_;
  nodes_.push_back(id);
  node_by_name_[facts(id).name] = id;
  scan_order_.clear();
  set_allocatable(id, node);
  add_images(id);
  join_topology(id);
  settle_forms(forms);
  note_all();
  undo_.record({Step::What::kNodeAdded, PodId{}, id});
  return id;
}

void Cluster::update_node(NodeId id, const kube::Node& node) {
  REQUIRES(!undo_.is_open() && is_node(id) && node_name(id) == node.metadata.name);
  const NodeDifference differs = difference(node_objects_[id.index()], node);
  if (differs.any()) node_versions_[id.index()] = ++node_changes_;
  if (differs.images) remove_images(id);
  node_objects_[id.index()] = node;
  if (!differs.in_facts() && !differs.allocatable) return;

  const Symbol zone = facts(id).zone;
  if (differs.in_facts()) replace_facts(id, compile_facts(node, symbols_));
  if (differs.allocatable) set_allocatable(id, node);
  if (differs.images) {
    add_images(id);
    ++facts_version_;
  }
  if (facts(id).zone != zone) {
    scan_order_.clear();
    note_all();
  }
  note_facts(id);
}

std::vector<PodId> Cluster::remove_node(NodeId id) {
  REQUIRES(!undo_.is_open() && is_node(id));
  const std::vector<PodId> pods = pods_on(id);
  for (auto pod = pods.rbegin(); pod != pods.rend(); ++pod) take_off(*pod);
  const std::vector<PodId> hopeful = nominated_to(id);
  for (const PodId pod : hopeful) nominate(pod, NodeId{});
  drop_node(id);
  return pods;
}

/// REQUIRES: no pod is on the node or nominated to it.
void Cluster::drop_node(NodeId id) {
  const std::vector<KeyForm> forms = key_forms();
  leave_topology(id);
  std::erase(nodes_, id);
  remove_images(id);
  node_by_name_.erase(facts(id).name);
  facts_[id.index()] = {};
  node_objects_[id.index()] = {};
  set_allocatable(id, {});
  node_versions_[id.index()] = ++node_changes_;
  unused_nodes_.give_back(id);
  scan_order_.clear();
  settle_forms(forms);
  note_all();
}

/// Puts the node where its facts say it is. The pods on it go with it.
void Cluster::replace_facts(NodeId id, NodeFacts facts) {
  if (!moves(id, facts)) {
    facts_[id.index()] = std::move(facts);
    return;
  }
  const std::vector<KeyForm> forms = key_forms();
  count_pods_on(id, -1);
  leave_topology(id);
  facts_[id.index()] = std::move(facts);
  join_topology(id);
  count_pods_on(id, 1);
  settle_forms(forms);
}

// ---- change logs ----------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kLeastChangesKept = 4096;

}  // namespace

void Cluster::note(NodeId node) {
  if (unseen_ == 0) changes_.note(node, std::max(facts_.size(), kLeastChangesKept));
}

void Cluster::note_facts(NodeId node) {
  facts_changes_.note(node, std::max(facts_.size(), kLeastChangesKept));
  note(node);
}

void Cluster::note_all() {
  changes_.note_all();
  facts_changes_.note_all();
  ++matching_version_;
  ++facts_version_;
}

// ---- what nodes offer -----------------------------------------------------------------------------------------------

void Cluster::set_allocatable(NodeId id, const kube::Node& node) {
  const std::vector<ResourceAmount> amounts = resources_.amounts(node.allocatable);
  widen_resources();
  for (auto& column : allocatable_) column[id.index()] = 0;
  for (const ResourceAmount& entry : amounts) allocatable_[entry.resource.index()][id.index()] = entry.amount;
  const auto pods = node.allocatable.find("pods");
  allowed_pods_[id.index()] = pods == node.allocatable.end() ? 0 : pods->second.value();
}

void Cluster::widen_resources() {
  allocatable_.resize(resources_.size());
  requested_.resize(resources_.size());
  for (auto& column : allocatable_) column.resize(facts_.size());
  for (auto& column : requested_) column.resize(facts_.size());
}

void Cluster::add_images(NodeId id) {
  for (const auto& [name, bytes] : images_of(node_objects_[id.index()])) {
    images_.add(id, symbols_.intern(name), bytes, [&](NodeId a, NodeId b) { return older(a, b); });
  }
}

/// REQUIRES: object and facts are still those that name the images.
void Cluster::remove_images(NodeId id) {
  const auto reports = [&](NodeId node, Symbol name) {
    const std::vector<Symbol>& images = facts(node).images;
    return node != id && std::binary_search(images.begin(), images.end(), name);
  };
  for (const Symbol name : facts(id).images) {
    images_.remove(id, name, [&] {
      const auto next = std::find_if(nodes_.begin(), nodes_.end(), [&](NodeId node) { return reports(node, name); });
      const auto images = images_of(node_objects_[next->index()]);
      const auto image = std::find_if(images.begin(), images.end(),
                                      [&](const auto& each) { return each.first == symbols_.text(name); });
      return std::pair(*next, image->second);
    });
  }
}

// ---- lookup ---------------------------------------------------------------------------------------------------------

NodeId Cluster::find_node(Symbol name) const {
  const auto found = node_by_name_.find(name);
  return found == node_by_name_.end() ? NodeId{} : found->second;
}

NodeId Cluster::find_node(std::string_view name) const {
  const Symbol symbol = symbols_.find(name);
  return symbol.valid() ? find_node(symbol) : NodeId{};
}

const std::vector<NodeId>& Cluster::scan_order() const {
  if (scan_order_.size() == nodes_.size()) return scan_order_;
  std::vector<Symbol> zones;
  std::map<Symbol, std::vector<NodeId>> members;
  for (const NodeId node : nodes_) {
    auto& zone = members[facts(node).zone];
    if (zone.empty()) zones.push_back(facts(node).zone);
    zone.push_back(node);
  }
  scan_order_.clear();
  for (std::size_t turn = 0; scan_order_.size() < nodes_.size(); ++turn) {
    for (const Symbol zone : zones) {
      if (turn < members[zone].size()) scan_order_.push_back(members[zone][turn]);
    }
  }
  return scan_order_;
}

}  // namespace loadline::cluster

// The part of Cluster that keeps nodes: their facts, what they offer, and the change logs that list those that changed.
#include <algorithm>

#include "brain/cluster/cluster.h"
#include "foundation/base/contract.h"

namespace loadline::cluster {

NodeId Cluster::add_node(const kube::Node& node) {
  REQUIRES(unseen_ == 0 && !find_node(node.metadata.name).valid());
  const NodeId id = nodes_.add(node, compile_facts(node, symbols_));
  nominations_.make_room_for(nodes_.slots());
  enter_node(id);
  note_membership(id);
  undo_.record({Step::What::kNodeAdded, PodId{}, id});
  return id;
}

void Cluster::update_node(NodeId id, const kube::Node& node) {
  REQUIRES(!undo_.is_open() && is_node(id) && node_name(id) == node.metadata.name);
  const NodeDifference differs = difference(node_object(id), node);
  if (differs.any()) nodes_.touch(id);
  if (differs.images) remove_images(id);
  nodes_.set_object(id, node);
  if (!differs.in_facts() && !differs.allocatable) return;

  const Symbol zone = facts(id).zone;
  if (differs.in_facts()) replace_facts(id, compile_facts(node, symbols_));
  if (differs.allocatable) set_allocatable(id, node);
  if (differs.images) {
    add_images(id);
    ++facts_version_;
  }
  if (facts(id).zone != zone) note_all();  // and the scan order is another
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

/// The ledgers learn of a node that the table has.
void Cluster::enter_node(NodeId id) {
  const std::vector<Topology::KeyForm> forms = topology_.forms();
  set_allocatable(id, node_object(id));
  add_images(id);
  counts_.add_node(id);
  settle_forms(forms);
}

/// REQUIRES: no pod is on the node or nominated to it.
void Cluster::drop_node(NodeId id) {
  const std::vector<Topology::KeyForm> forms = topology_.forms();
  counts_.remove_node(id);
  remove_images(id);
  const bool others_stay = nodes_.remove(id);
  requests_.offer(id, {}, 0);
  settle_forms(forms);
  others_stay ? note_membership(id) : note_all();
}

void Cluster::mask_node(NodeId id) {
  REQUIRES(undo_.is_open() && unseen_ == 0 && pods_on(id).empty() && nominated_to(id).empty());
  masked_.push_back(nodes_.copy_of(id));
  drop_node(id);
  undo_.record({Step::What::kNodeMasked, PodId{}, id});
}

void Cluster::unmask_node(NodeId id) {
  nodes_.restore(id, std::move(masked_.back()));
  masked_.pop_back();
  enter_node(id);
  note_all();
}

/// Puts the node where its facts say it is. The pods on it go with it.
void Cluster::replace_facts(NodeId id, NodeFacts facts) {
  if (!topology_.moves(id, facts)) return nodes_.set_facts(id, std::move(facts));
  const std::vector<Topology::KeyForm> forms = topology_.forms();
  counts_.count_pods_on(id, -1);
  counts_.remove_node(id);
  nodes_.set_facts(id, std::move(facts));
  counts_.add_node(id);
  counts_.count_pods_on(id, 1);
  settle_forms(forms);
}

/// After nodes moved. Where nodes without a key count, and what tells nodes apart, concerns more than those that moved.
void Cluster::settle_forms(const std::vector<Topology::KeyForm>& before) {
  const std::vector<Topology::KeyForm> after = topology_.forms();
  if (after == before) return;
  counts_.settle(before, after);
  note_all();
}

// ---- change logs ----------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kLeastChangesKept = 4096;

}  // namespace

void Cluster::note(NodeId node) {
  if (unseen_ == 0) changes_.note(node, std::max(nodes_.slots(), kLeastChangesKept));
}

void Cluster::note_facts(NodeId node) {
  facts_changes_.note(node, std::max(nodes_.slots(), kLeastChangesKept));
  note(node);
}

void Cluster::note_membership(NodeId node) {
  membership_changes_.note(node, std::max(nodes_.slots(), kLeastChangesKept));
  ++facts_version_;
  note_facts(node);
}

void Cluster::note_all() {
  changes_.note_all();
  facts_changes_.note_all();
  membership_changes_.note_all();
  ++matching_version_;
  ++facts_version_;
}

// ---- what nodes offer -----------------------------------------------------------------------------------------------

void Cluster::set_allocatable(NodeId id, const kube::Node& node) {
  const std::vector<ResourceAmount> amounts = resources_.amounts(node.allocatable);
  widen_requests();
  const auto pods = node.allocatable.find("pods");
  requests_.offer(id, amounts, pods == node.allocatable.end() ? 0 : pods->second.value());
}

void Cluster::add_images(NodeId id) {
  for (const auto& [name, bytes] : images_of(node_object(id))) {
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
      const auto next = std::ranges::find_if(nodes(), [&](NodeId node) { return reports(node, name); });
      const auto images = images_of(node_object(*next));
      const auto image = std::find_if(images.begin(), images.end(),
                                      [&](const auto& each) { return each.first == symbols_.text(name); });
      return std::pair(*next, image->second);
    });
  }
}

// ---- lookup ---------------------------------------------------------------------------------------------------------

NodeId Cluster::find_node(std::string_view name) const {
  const Symbol symbol = symbols_.find(name);
  return symbol.valid() ? find_node(symbol) : NodeId{};
}

}  // namespace loadline::cluster

#include "cluster/cluster.h"

#include <algorithm>
#include <cassert>

#include "cluster/shape_compiler.h"
#include "cluster/shape_key.h"
#include "cluster/zone_labels.h"

namespace loadline::cluster {
namespace {

std::string_view label(const kube::Node& node, std::string_view key, std::string_view old_key) {
  for (const std::string_view name : {old_key, key}) {
    const auto found = node.metadata.labels.find(name);
    if (found != node.metadata.labels.end()) return found->second;
  }
  return {};
}

/// nodetree's zone key: the deprecated labels win, as component-helpers' GetZoneKey has it.
std::string zone_key(const kube::Node& node) {
  const std::string_view region = label(node, kRegionLabel, kOldRegionLabel);
  const std::string_view zone = label(node, kZoneLabel, kOldZoneLabel);
  if (region.empty() && zone.empty()) return {};
  return std::string(region) + std::string(":\0:", 3) + std::string(zone);
}

}  // namespace

Cluster::Cluster() { keys_.push_back({symbols_.intern(""), {}, {}, {}, 0, {}}); }

// ---- nodes
// -----------------------------------------------------------------------------------------------------------

NodeId Cluster::add_node(const kube::Node& node) {
  const NodeId id{facts_.size()};
  facts_.emplace_back();
  node_objects_.push_back(node);
  nonzero_cpu_.push_back(0);
  nonzero_memory_.push_back(0);
  allowed_pods_.push_back(0);
  port_users_.push_back(0);
  pods_on_.emplace_back();
  nominated_to_.emplace_back();
  set_facts(id, node);
  set_allocatable(id, node);
  count_images(node);
  node_by_name_[facts(id).name] = id;
  scan_order_.clear();
  for (TopologyKey& key : keys_) fill_domains(key, id);
  if (!filters_.empty() || !counters_.empty() || !holders_.empty()) rebuild_derived();
  note_all();
  return id;
}

void Cluster::update_node(NodeId id, const kube::Node& node) {
  node_objects_[id.index()] = node;
  set_facts(id, node);
  set_allocatable(id, node);
  images_.clear();
  for (const kube::Node& each : node_objects_) count_images(each);
  scan_order_.clear();
  rebuild_derived();
  note_all();
}

constexpr std::size_t kLeastChangesKept = 4096;

void Cluster::note(NodeId node) { changes_.note(node, std::max(facts_.size(), kLeastChangesKept)); }

void Cluster::note_all() {
  changes_.note_all();
  ++matching_version_;
  ++facts_version_;
}

void Cluster::set_facts(NodeId id, const kube::Node& node) {
  NodeFacts& facts = facts_[id.index()];
  facts.name = symbols_.intern(node.metadata.name);
  facts.labels = LabelSet(node.metadata.labels, symbols_);
  facts.taints = compile_taints(node.taints, symbols_);
  facts.unschedulable = node.unschedulable;
  facts.zone = symbols_.intern(zone_key(node));
  facts.images.clear();
  for (const kube::ContainerImage& image : node.images) {
    for (const std::string& name : image.names) facts.images.push_back(symbols_.intern(name));
  }
  std::sort(facts.images.begin(), facts.images.end());
  facts.images.erase(std::unique(facts.images.begin(), facts.images.end()), facts.images.end());
  facts.declared_features.clear();
  for (const std::string& feature : node.declared_features) {
    facts.declared_features.push_back(symbols_.intern(feature));
  }
}

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

void Cluster::count_images(const kube::Node& node) {
  std::vector<Symbol> counted;
  for (const kube::ContainerImage& image : node.images) {
    for (const std::string& name : image.names) {
      const Symbol symbol = symbols_.intern(name);
      if (std::find(counted.begin(), counted.end(), symbol) != counted.end()) continue;
      counted.push_back(symbol);
      const auto [entry, fresh] = images_.try_emplace(symbol, ImageState{image.size_bytes, 0});
      ++entry->second.nodes;
    }
  }
}

NodeId Cluster::find_node(Symbol name) const {
  const auto found = node_by_name_.find(name);
  return found == node_by_name_.end() ? NodeId{} : found->second;
}

NodeId Cluster::find_node(std::string_view name) const {
  const Symbol symbol = symbols_.find(name);
  return symbol.valid() ? find_node(symbol) : NodeId{};
}

const ImageState* Cluster::image(Symbol name) const {
  const auto found = images_.find(name);
  return found == images_.end() ? nullptr : &found->second;
}

const std::vector<NodeId>& Cluster::scan_order() const {
  if (scan_order_.size() == facts_.size()) return scan_order_;
  std::vector<Symbol> zones;
  std::map<Symbol, std::vector<NodeId>> members;
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    auto& zone = members[facts_[i].zone];
    if (zone.empty()) zones.push_back(facts_[i].zone);
    zone.emplace_back(i);
  }
  scan_order_.clear();
  for (std::size_t turn = 0; scan_order_.size() < facts_.size(); ++turn) {
    for (const Symbol zone : zones) {
      if (turn < members[zone].size()) scan_order_.push_back(members[zone][turn]);
    }
  }
  return scan_order_;
}

// ---- namespaces
// ------------------------------------------------------------------------------------------------------

void Cluster::set_namespace(std::string_view name, const kube::StringMap& labels) {
  namespaces_[symbols_.intern(name)] = LabelSet(labels, symbols_);
  // Which terms match which shapes may have changed.
  for (ShapeLinks& links : links_) links.counters_seen = links.holders_seen = 0;
  if (!counters_.empty() || !holders_.empty()) rebuild_derived();
  note_all();
}

const LabelSet& Cluster::namespace_labels(Symbol name) const {
  const auto found = namespaces_.find(name);
  assert(found != namespaces_.end());  // add_pod made sure
  return found->second;
}

/// A namespace that nobody described has the one label that every namespace has.
void Cluster::ensure_namespace(const std::string& name) {
  const Symbol symbol = symbols_.intern(name);
  if (!namespaces_.contains(symbol)) {
    namespaces_[symbol] = LabelSet({{"kubernetes.io/metadata.name", name}}, symbols_);
  }
}

const PodSelector& Cluster::owner_selector(ShapeId id) const {
  std::optional<PodSelector>& known = links_[id.index()].owner_selector;
  if (!known) known = belonging_.selector_of(shape(id));
  return *known;
}

Belonging& Cluster::change_belonging() {
  for (ShapeLinks& links : links_) links.owner_selector.reset();
  ++matching_version_;
  ++budget_version_;
  return belonging_;
}

void Cluster::allow_disruptions(std::size_t budget, std::int32_t pods) {
  std::int32_t& allowed = belonging_.budgets()[budget].allowed;
  if (allowed == pods) return;
  allowed = pods;
  ++budget_version_;
}

// ---- pods
// ------------------------------------------------------------------------------------------------------------

ShapeId Cluster::intern_shape(const kube::Pod& pod) {
  SpecMemo& memo = spec_keys_[pod.spec.get()];
  if (!memo.spec) memo = {pod.spec, spec_key(*pod.spec)};
  std::string key = pod_key(pod) + memo.key;
  if (const auto found = shape_by_key_.find(key); found != shape_by_key_.end()) return found->second;

  std::unique_ptr<PodShape> shape = compile_shape(pod, *this);
  widen_resources();
  ShapeLinks links;
  const auto hold = [&](HolderKind kind, const std::vector<AffinityTerm>& terms) {
    for (const AffinityTerm& term : terms) {
      links.holds.push_back(intern(HolderSpec{kind, term.term, term.key, term.weight}));
    }
  };
  hold(HolderKind::kRequiredAffinity, shape->required_affinity);
  hold(HolderKind::kRequiredAntiAffinity, shape->required_anti_affinity);
  hold(HolderKind::kPreferredAffinity, shape->preferred_affinity);
  hold(HolderKind::kPreferredAntiAffinity, shape->preferred_anti_affinity);

  const ShapeId id{shapes_.size()};
  shapes_.push_back(std::move(shape));
  links_.push_back(std::move(links));
  shape_by_key_.emplace(std::move(key), id);
  return id;
}

PodId Cluster::add_pod(const kube::Pod& pod) {
  ensure_namespace(pod.metadata.namespace_);
  PodRecord record;
  record.name_space = symbols_.intern(pod.metadata.namespace_);
  record.name = symbols_.intern(pod.metadata.name);
  record.shape = intern_shape(pod);
  record.priority = pod.spec->priority.value_or(0);
  record.preemption_policy = pod.spec->preemption_policy.value_or(kube::PreemptionPolicy::kPreemptLowerPriority);
  record.started = pod.status.start_time;
  record.terminating = pod.metadata.deletion_timestamp.has_value();
  for (const kube::Condition& condition : pod.status.conditions) {
    if (condition.type != "DisruptionTarget") continue;
    record.terminating_by_preemption =
        record.terminating && condition.status == "True" && condition.reason == "PreemptionByScheduler";
    break;
  }
  const PodId id{pods_.size()};
  record.uid = id.value;
  pods_.push_back(record);
  return id;
}

void Cluster::place(PodId pod, NodeId node) {
  place_at(pod, node, pods_on(node).size());
  note(node);
}

void Cluster::place_at(PodId pod, NodeId node, std::size_t position) {
  assert(!pods_[pod.index()].node.valid());
  pods_[pod.index()].node = node;
  auto& pods = pods_on_[node.index()];
  pods.insert(pods.begin() + static_cast<std::ptrdiff_t>(position), pod);
  account(pod, node, 1);
}

void Cluster::lift(PodId pod) {
  const NodeId node = pods_[pod.index()].node;
  take_off(pod);
  note(node);
}

void Cluster::take_off(PodId pod) {
  const NodeId node = pods_[pod.index()].node;
  assert(node.valid());
  account(pod, node, -1);
  auto& pods = pods_on_[node.index()];
  pods.erase(std::find(pods.begin(), pods.end(), pod));
  pods_[pod.index()].node = NodeId{};
}

void Cluster::remove_pod(PodId pod) {
  if (pods_[pod.index()].node.valid()) lift(pod);
  nominate(pod, NodeId{});
}

void Cluster::nominate(PodId pod, NodeId node) {
  PodRecord& record = pods_[pod.index()];
  if (const NodeId before = record.nominated; before.valid()) {
    auto& pods = nominated_to_[before.index()];
    std::erase(pods, pod);
    if (pods.empty()) std::erase(nominated_nodes_, before);
    note(before);
  }
  record.nominated = node;
  if (!node.valid()) return;
  auto& pods = nominated_to_[node.index()];
  if (pods.empty()) nominated_nodes_.push_back(node);
  pods.push_back(pod);
  note(node);
}

void Cluster::set_started(PodId pod, Instant at) {
  PodRecord& record = pods_[pod.index()];
  record.started = at;
  if (record.node.valid()) note(record.node);
}

void Cluster::set_terminating(PodId pod, bool by_preemption) {
  PodRecord& record = pods_[pod.index()];
  const NodeId node = record.node;
  if (node.valid()) count(pod, node, -1);  // some counters leave out terminating pods
  record.terminating = true;
  record.terminating_by_preemption = record.terminating_by_preemption || by_preemption;
  if (!node.valid()) return;
  count(pod, node, 1);
  note(node);
}

/// Books the pod's usage on the node, or takes it off again.
void Cluster::account(PodId pod, NodeId node, std::int32_t sign) {
  const PodShape& shape = shape_of(pod);
  const std::size_t n = node.index();
  for (const ResourceAmount& entry : shape.usage) requested_[entry.resource.index()][n] += sign * entry.amount;
  nonzero_cpu_[n] += sign * shape.nonzero_cpu;
  nonzero_memory_[n] += sign * shape.nonzero_memory;
  if (!shape.host_ports.empty()) port_users_[n] += sign;
  count(pod, node, sign);
}

}  // namespace loadline::cluster

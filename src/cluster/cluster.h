#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "cluster/belonging.h"
#include "cluster/change_log.h"
#include "cluster/counters.h"
#include "cluster/ids.h"
#include "cluster/labels.h"
#include "cluster/resources.h"
#include "cluster/shape.h"
#include "cluster/volumes.h"
#include "kube/core/node.h"
#include "kube/core/pod.h"

namespace loadline::cluster {

/// The side of a node that placements do not change.
struct NodeFacts {
  Symbol name;
  LabelSet labels;
  std::vector<CompiledTaint> taints;
  bool unschedulable = false;
  std::vector<Symbol> images;  ///< names, sorted
  std::vector<Symbol> declared_features;
  Symbol zone;  ///< region and zone joined, for the scan order; empty text if neither is known
};

/// One pod that the model knows, placed or not.
struct PodRecord {
  Symbol name_space;
  Symbol name;
  ShapeId shape;
  NodeId node;  ///< invalid: not placed
  std::int32_t priority = 0;
  kube::PreemptionPolicy preemption_policy = kube::PreemptionPolicy::kPreemptLowerPriority;
  std::optional<Instant> started;  ///< nullopt: not yet, which counts as "now"
  NodeId nominated;
  bool terminating = false;                ///< has a deletionTimestamp
  bool terminating_by_preemption = false;  ///< DisruptionTarget, reason PreemptionByScheduler
  std::uint32_t uid = 0;                   ///< order of creation
};

/// The topology key whose domains are the nodes themselves, whatever their labels say.
inline constexpr TopologyKeyId kEachNode{0};

struct TopologyKey {
  Symbol key;
  std::vector<DomainId> domain_of;  ///< by node; invalid where the node lacks the key
  std::vector<Symbol> values;       ///< by domain
  std::unordered_map<Symbol, DomainId> domains;
  std::size_t members = 0;  ///< nodes that have the key
  DomainId empty;           ///< the domain of the empty text; invalid: no node has that value

  [[nodiscard]] bool one_node_each() const { return members == values.size(); }
};

/// Size and spread of an image: `bytes` as the first node reported it, as kube-scheduler's cache keeps it.
struct ImageState {
  std::int64_t bytes = 0;
  std::int32_t nodes = 0;
};

/// The model of the cluster that decisions read.
///
/// Nodes are columns by NodeId, pods of one template share a PodShape, and pods by topology domain are counted as they
/// come and go. Invariants, each checked against recomputation by tests:
///  1. requested, nonzero and pod_count of a node are the sums over pods_on(node);
///  2. every Counter and Holder equals a recount over all placed pods.
/// Thread: one writer; readers may run between writes.
class Cluster {
 public:
  Cluster();
  Cluster(const Cluster&) = delete;  // its parts point at each other, so it stays where it is
  Cluster& operator=(const Cluster&) = delete;

  // ---- changes in --------------------------------------------------------------------------------------------------
  NodeId add_node(const kube::Node& node);
  /// Replaces labels, taints, capacity and images. O(nodes + placed pods): rebuilds what is derived from them.
  void update_node(NodeId id, const kube::Node& node);
  void set_namespace(std::string_view name, const kube::StringMap& labels);

  /// Pods of one shape are recognised here; O(size of the spec) once per distinct spec pointer.
  PodId add_pod(const kube::Pod& pod);
  /// Puts the pod on the node: a binding, or an assumption of one.
  void place(PodId pod, NodeId node);
  /// Takes the pod off its node; it stays known.
  void lift(PodId pod);
  /// Lifts and forgets; the id is not reused.
  void remove_pod(PodId pod);
  void nominate(PodId pod, NodeId node);  ///< an invalid node withdraws
  void set_terminating(PodId pod, bool by_preemption);
  void set_started(PodId pod, Instant at);

  // ---- nodes -------------------------------------------------------------------------------------------------------
  [[nodiscard]] std::size_t node_count() const { return facts_.size(); }
  [[nodiscard]] const NodeFacts& facts(NodeId node) const { return facts_[node.index()]; }
  [[nodiscard]] std::string_view node_name(NodeId node) const { return symbols_.text(facts(node).name); }
  /// As it was given, with what no built-in decision reads: annotations.
  [[nodiscard]] const kube::Node& node_object(NodeId node) const { return node_objects_[node.index()]; }
  [[nodiscard]] NodeId find_node(std::string_view name) const;
  [[nodiscard]] NodeId find_node(Symbol name) const;
  [[nodiscard]] std::int64_t allocatable(NodeId node, ResourceId resource) const {
    return allocatable_[resource.index()][node.index()];
  }
  [[nodiscard]] std::int64_t requested(NodeId node, ResourceId resource) const {
    return requested_[resource.index()][node.index()];
  }
  [[nodiscard]] std::int64_t nonzero_cpu(NodeId node) const { return nonzero_cpu_[node.index()]; }
  [[nodiscard]] std::int64_t nonzero_memory(NodeId node) const { return nonzero_memory_[node.index()]; }
  [[nodiscard]] std::int64_t allowed_pods(NodeId node) const { return allowed_pods_[node.index()]; }
  [[nodiscard]] const std::vector<PodId>& pods_on(NodeId node) const { return pods_on_[node.index()]; }
  /// Columns by node, for loops over many: valid until a node or a resource is added.
  [[nodiscard]] std::span<const std::int64_t> allocatable(ResourceId resource) const {
    return allocatable_[resource.index()];
  }
  [[nodiscard]] std::span<const std::int64_t> requested(ResourceId resource) const {
    return requested_[resource.index()];
  }
  [[nodiscard]] std::span<const std::int64_t> nonzero_cpu() const { return nonzero_cpu_; }
  [[nodiscard]] std::span<const std::int64_t> nonzero_memory() const { return nonzero_memory_; }
  [[nodiscard]] bool has_host_ports(NodeId node) const { return port_users_[node.index()] > 0; }
  /// Pods nominated to the node, in order of nomination.
  [[nodiscard]] const std::vector<PodId>& nominated_to(NodeId node) const { return nominated_to_[node.index()]; }
  /// Nodes in the order in which kube-scheduler lists them: zones in turn, each in order of creation.
  [[nodiscard]] const std::vector<NodeId>& scan_order() const;
  [[nodiscard]] const ImageState* image(Symbol name) const;

  // ---- pods --------------------------------------------------------------------------------------------------------
  [[nodiscard]] std::size_t pod_count() const { return pods_.size(); }
  [[nodiscard]] const PodRecord& pod(PodId id) const { return pods_[id.index()]; }
  [[nodiscard]] const PodShape& shape(ShapeId id) const { return *shapes_[id.index()]; }
  [[nodiscard]] const PodShape& shape_of(PodId id) const { return shape(pod(id).shape); }
  [[nodiscard]] std::size_t shape_count() const { return shapes_.size(); }
  /// "namespace/name".
  [[nodiscard]] std::string pod_text(PodId id) const {
    return std::string(symbols_.text(pod(id).name_space)) + '/' + std::string(symbols_.text(pod(id).name));
  }
  [[nodiscard]] const LabelSet& namespace_labels(Symbol name) const;

  // ---- terms and counts --------------------------------------------------------------------------------------------
  [[nodiscard]] const PodTerm& term(TermId id) const { return terms_[id.index()]; }
  [[nodiscard]] bool matches(TermId term, const PodShape& shape) const;
  TermId intern(const PodTerm& term);
  TopologyKeyId intern_topology_key(Symbol label);
  NodeFilterId intern(const NodeFilter& filter);
  /// Counts on first use: O(placed pods). Afterwards current for good.
  CounterId intern(const CounterSpec& spec);

  [[nodiscard]] const TopologyKey& topology_key(TopologyKeyId id) const { return keys_[id.index()]; }
  [[nodiscard]] const NodeSet& filtered_nodes(NodeFilterId id) const { return filter_nodes_[id.index()]; }
  [[nodiscard]] const Counter& counter(CounterId id) const { return counters_[id.index()]; }
  [[nodiscard]] const Holder& holder(HolderId id) const { return holders_[id.index()]; }
  [[nodiscard]] std::size_t counter_count() const { return counters_.size(); }
  [[nodiscard]] std::size_t holder_count() const { return holders_.size(); }
  /// The holders whose term matches pods of the shape. Amortised O(1).
  [[nodiscard]] const std::vector<HolderId>& holders_matching(ShapeId shape) const;

  /// Belonging::selector_of, remembered.
  [[nodiscard]] const PodSelector& owner_selector(ShapeId shape) const;
  [[nodiscard]] const Belonging& belonging() const { return belonging_; }
  /// To add services, controllers and budgets; forgets remembered owner selectors.
  [[nodiscard]] Belonging& change_belonging();
  /// How many pods the budget lets go now.
  void allow_disruptions(std::size_t budget, std::int32_t pods);

  // ---- for whoever keeps something derived from the cluster --------------------------------------------------------
  /// The nodes that changed: what they are, which pods are on them or nominated to them, or those pods' states.
  [[nodiscard]] const ChangeLog& changes() const { return changes_; }
  /// Grows when what pods match changes: namespaces, services and controllers, the domains of nodes.
  [[nodiscard]] std::uint64_t matching_version() const { return matching_version_; }
  /// Grows when the facts of any node change, or there are more nodes.
  [[nodiscard]] std::uint64_t facts_version() const { return facts_version_; }
  /// Grows when a budget changes.
  [[nodiscard]] std::uint64_t budget_version() const { return budget_version_; }
  /// Nodes with nominated pods, in no particular order.
  [[nodiscard]] const std::vector<NodeId>& nominated_nodes() const { return nominated_nodes_; }

  [[nodiscard]] SymbolTable& symbols() { return symbols_; }
  [[nodiscard]] const SymbolTable& symbols() const { return symbols_; }
  [[nodiscard]] ResourceIndex& resources() { return resources_; }
  [[nodiscard]] const ResourceIndex& resources() const { return resources_; }
  [[nodiscard]] VolumeCatalog& volumes() { return volumes_; }
  [[nodiscard]] const VolumeCatalog& volumes() const { return volumes_; }

  /// Recounts a counter from the pods on the nodes, for tests.
  [[nodiscard]] Counter recount(CounterId id) const;
  [[nodiscard]] Holder recount(HolderId id) const;

 private:
  friend class Transaction;

  struct ShapeLinks {
    std::vector<HolderId> holds;  // the terms that pods of the shape carry
    // Counters and holders that match the shape, extended lazily up to the sizes seen.
    mutable std::vector<CounterId> counters;
    mutable std::size_t counters_seen = 0;
    mutable std::vector<HolderId> holders;
    mutable std::size_t holders_seen = 0;
    mutable std::optional<PodSelector> owner_selector;
  };

  void set_facts(NodeId id, const kube::Node& node);
  void set_allocatable(NodeId id, const kube::Node& node);
  void count_images(const kube::Node& node);
  void widen_resources();
  void ensure_namespace(const std::string& name);
  void rebuild_derived();
  ShapeId intern_shape(const kube::Pod& pod);
  HolderId intern(const HolderSpec& spec);
  const std::vector<CounterId>& counters_matching(ShapeId shape) const;
  void account(PodId pod, NodeId node, std::int32_t sign);
  void count(PodId pod, NodeId node, std::int32_t sign);
  void place_at(PodId pod, NodeId node, std::size_t position);
  void take_off(PodId pod);
  void note(NodeId node);
  void note_all();
  [[nodiscard]] DomainId domain(TopologyKeyId key, NodeId node) const {
    return keys_[key.index()].domain_of[node.index()];
  }
  [[nodiscard]] DomainId domain(const CounterSpec& spec, NodeId node) const {
    const TopologyKey& key = keys_[spec.key.index()];
    const DomainId own = key.domain_of[node.index()];
    return own.valid() || !spec.absent_is_empty ? own : key.empty;
  }
  void fill_domains(TopologyKey& key, NodeId node);
  [[nodiscard]] bool passes(const NodeFilter& filter, NodeId node) const;
  [[nodiscard]] Counter empty_counter(const CounterSpec& spec) const;
  [[nodiscard]] bool counts(const CounterSpec& spec, const PodRecord& pod, NodeId node) const;

  SymbolTable symbols_;
  ResourceIndex resources_{symbols_};
  VolumeCatalog volumes_;
  Belonging belonging_{symbols_};

  std::vector<NodeFacts> facts_;
  std::vector<kube::Node> node_objects_;
  std::unordered_map<Symbol, NodeId> node_by_name_;
  std::vector<std::vector<std::int64_t>> allocatable_;  // [resource][node]
  std::vector<std::vector<std::int64_t>> requested_;    // [resource][node]
  std::vector<std::int64_t> nonzero_cpu_, nonzero_memory_, allowed_pods_;
  std::vector<std::int32_t> port_users_;
  std::vector<std::vector<PodId>> pods_on_;
  std::vector<std::vector<PodId>> nominated_to_;
  mutable std::vector<NodeId> scan_order_;
  std::map<Symbol, ImageState> images_;

  ChangeLog changes_;
  std::uint64_t matching_version_ = 0;
  std::uint64_t facts_version_ = 0;
  std::uint64_t budget_version_ = 0;
  std::vector<NodeId> nominated_nodes_;

  std::map<Symbol, LabelSet> namespaces_;

  std::vector<PodRecord> pods_;
  std::vector<std::unique_ptr<const PodShape>> shapes_;
  std::vector<ShapeLinks> links_;
  std::unordered_map<std::string, ShapeId> shape_by_key_;
  struct SpecMemo {
    std::shared_ptr<const kube::PodSpec> spec;
    std::string key;
  };
  std::unordered_map<const kube::PodSpec*, SpecMemo> spec_keys_;

  std::vector<PodTerm> terms_;
  std::map<PodTerm, TermId> term_ids_;
  std::vector<TopologyKey> keys_;
  std::map<Symbol, TopologyKeyId> key_ids_;
  std::vector<NodeFilter> filters_;
  std::vector<NodeSet> filter_nodes_;
  std::map<NodeFilter, NodeFilterId> filter_ids_;
  std::vector<Counter> counters_;
  std::map<CounterSpec, CounterId> counter_ids_;
  std::vector<Holder> holders_;
  std::map<HolderSpec, HolderId> holder_ids_;
};

/// Tentative changes, of which the change log knows nothing, that are undone, last first, unless committed: gangs,
/// preemption and what-if are this at different sizes. A rolled back cluster equals the one before in every count and
/// in the order of pods on nodes.
class Transaction {
 public:
  explicit Transaction(Cluster& cluster) : cluster_(cluster) {}
  ~Transaction() { rollback(); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void place(PodId pod, NodeId node);
  void lift(PodId pod);
  void commit();
  void rollback();

 private:
  struct Step {
    PodId pod;
    NodeId node;
    bool placed = true;        // else lifted
    std::size_t position = 0;  // where it stood among the node's pods
  };
  Cluster& cluster_;
  std::vector<Step> steps_;
};

}  // namespace loadline::cluster

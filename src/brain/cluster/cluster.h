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

#include "brain/cluster/change_log.h"
#include "brain/cluster/counters.h"
#include "brain/cluster/disruption_budgets.h"
#include "brain/cluster/ids.h"
#include "brain/cluster/images.h"
#include "brain/cluster/labels.h"
#include "brain/cluster/node_facts.h"
#include "brain/cluster/nominations.h"
#include "brain/cluster/pod_groups.h"
#include "brain/cluster/pod_owner_index.h"
#include "brain/cluster/pod_record.h"
#include "brain/cluster/reservations.h"
#include "brain/cluster/resources.h"
#include "brain/cluster/shape.h"
#include "brain/cluster/topology.h"
#include "brain/cluster/undo_log.h"
#include "brain/cluster/unused_ids.h"
#include "brain/cluster/volumes.h"
#include "foundation/base/contract.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/scheduling/pod_group.h"

namespace loadline::cluster {

/// The model of the cluster that decisions read.
///
/// Nodes are columns by NodeId, pods of one template share a PodShape, and pods by topology domain are counted as they
/// come and go. Invariants, each checked against recomputation by tests:
///  1. requested, nonzero and pod_count of a node are the sums over pods_on(node);
///  2. every Counter and AffinityTermCount equals a recount over all placed pods;
///  3. whatever the history, decisions are those of a cluster that was filled with what is there now, oldest first.
///
/// Ids that are asked about are ids that it gave out, which only builds without NDEBUG check: most of it is read in
/// inner loops. What changes it checks in every build.
///
/// It may live for months: what is gone leaves nothing behind for long. Ids of nodes are used again at once, and the
/// change log says so; ids of pods, and of shapes, terms and counters, once reclaim() was called, so that a caller that
/// never calls it may rely on them. Symbols stay, see SymbolTable.
/// Thread: one writer; readers may run between writes.
class Cluster {
 public:
  Cluster();
  Cluster(const Cluster&) = delete;  // its members point at each other, so it stays where it is
  Cluster& operator=(const Cluster&) = delete;

  // ---- changes in --------------------------------------------------------------------------------------------------
  /// REQUIRES: there is none of that name.
  NodeId add_node(const kube::Node& node);
  /// Takes the node as it is now. It costs what changed: nothing follows from conditions; else the one node is noted as
  /// changed, and if its labels or taints count somewhere, so do its pods: O(counters + pods on the node).
  /// REQUIRES: is_node(id), and it has kept its name.
  void update_node(NodeId id, const kube::Node& node);
  /// Forgets the node; its id may soon be another's. The pods that were on it are unplaced, stay known and are
  /// returned; nominations to it are withdrawn. O(counters + pods on the node), and every ranking starts anew.
  /// REQUIRES: is_node(id).
  std::vector<PodId> remove_node(NodeId id);

  /// O(1), or, if pods are there and terms look at the labels of namespaces, O(placed pods).
  void set_namespace(std::string_view name, const kube::StringMap& labels);
  /// Forgets its labels. Pods that are left in it see a namespace that no Namespace object describes.
  void remove_namespace(std::string_view name);

  /// Pods of one shape are recognised here; O(size of the spec) once per distinct spec pointer.
  PodId add_pod(const kube::Pod& pod);
  /// A pod that runs on the node already. What spec.nodeName says is no part of its shape, so that pods of one template
  /// share one whatever nodes they are on.
  PodId add_pod(const kube::Pod& pod, NodeId node);
  /// Takes the pod as it is now: labels, gates, resources resized in place, its status. Name and namespace stay. What
  /// the model knows first stays true: where it is, that it terminates, when it started. O(size of the spec).
  /// REQUIRES: the pod is known, and has kept its name.
  void update_pod(PodId pod, const kube::Pod& now);
  /// Puts the pod on the node: a binding, or an assumption of one. REQUIRES: both are known, and the pod is on no node.
  void place(PodId pod, NodeId node);
  /// Takes the pod off its node; it stays known. REQUIRES: it is on one.
  void unplace(PodId pod);
  /// The pods that name the group are scheduled as one. Returns whether anything is different now.
  bool set_pod_group(const kube::PodGroup& group);
  /// Its object is gone; pods that name it know no minimum. False: there was none.
  bool remove_pod_group(std::string_view name_space, std::string_view name);
  /// As many of its pods as have to start together are on nodes, or were. What the group's object says is known anyway.
  /// REQUIRES: as group().
  void set_group_started(GroupId id) { groups_.set_started(id); }
  /// Unplaces and forgets the pod. Its record can be read until reclaim(). Does nothing to one that is forgotten
  /// already.
  void remove_pod(PodId pod);
  void nominate(PodId pod, NodeId node);  ///< an invalid node withdraws
  void set_terminating(PodId pod, bool by_preemption);
  void set_started(PodId pod, Instant at);

  // ---- what pods belong to: each costs O(shapes), and more only if some pod belongs to something else ---------------
  void set_service(const kube::Service& service);
  void remove_service(std::string_view name_space, std::string_view name);
  /// `kind` is ReplicaSet, StatefulSet or ReplicationController.
  void set_controller(std::string_view kind, const kube::ObjectMeta& metadata, const PodSelector& selector);
  void remove_controller(std::string_view kind, std::string_view name_space, std::string_view name);
  /// `allowed` is the number of disruptions that the budget permits at present.
  void set_budget(const kube::PodDisruptionBudget& budget, std::int32_t allowed);
  void remove_budget(std::string_view name_space, std::string_view name);

  // ---- reservations: room for pods that do not exist yet, held by placeholders --------------------------------------
  [[nodiscard]] const Reservations& reservations() const { return reservations_; }
  /// REQUIRES: it comes without placeholders.
  ReservationId add_reservation(Reservation reservation) { return reservations_.add(std::move(reservation)); }
  void set_rule(ReservationId id, ReservationRule rule) { reservations_.set_rule(id, std::move(rule)); }
  void set_consumed(ReservationId id, std::int32_t pods) { reservations_.set_consumed(id, pods); }
  /// Forgets it and its placeholders.
  void remove_reservation(ReservationId id);
  /// A pod that holds room for another one, once it is placed, and counts as pods do.
  PodId add_placeholder(ReservationId reservation, const kube::Pod& pod);
  /// A pod takes the placeholder's place: it is on no node any more, and no placeholder of its reservation. Its record
  /// stays until remove_pod().
  void consume(PodId placeholder);
  /// The reservations that pods of the shape may consume, the oldest first. Amortised O(1).
  [[nodiscard]] const std::vector<ReservationId>& matching_reservations(ShapeId shape) const;

  // ---- memory ------------------------------------------------------------------------------------------------------
  /// How many ids of pods and shapes wait to be reclaimed.
  [[nodiscard]] std::size_t reclaimable() const { return dead_pods_.size() + idle_shapes_; }
  /// Frees what is kept for removed pods, for shapes without pods, and for terms and counters that no caller asked for
  /// since the last time; from now on their ids are given out again. O(shapes + terms + counters). To be called through
  /// placement::Scheduler::reclaim(), which remembers some of these ids, by a caller that holds no others.
  void reclaim();
  /// The counter will be asked for again: it stays in the next reclaim().
  void keep(CounterId id) { counter_asked_[slot(id)] = reclaims_; }
  [[nodiscard]] std::uint64_t reclaims() const { return reclaims_; }

  // ---- nodes -------------------------------------------------------------------------------------------------------
  [[nodiscard]] std::size_t node_count() const { return nodes_.size(); }
  /// All ids are below it, also those of nodes that are gone: the size of a column by node.
  [[nodiscard]] std::size_t node_slots() const { return facts_.size(); }
  /// Whether the id is that of a node, not of one that is gone. O(1).
  [[nodiscard]] bool is_node(NodeId node) const {
    return node.index() < facts_.size() && facts_[node.index()].name.valid();
  }
  /// In order of creation.
  [[nodiscard]] const std::vector<NodeId>& nodes() const { return nodes_; }
  /// Whether `a` was created before `b`.
  [[nodiscard]] bool older(NodeId a, NodeId b) const { return created_[slot(a)] < created_[slot(b)]; }
  [[nodiscard]] const NodeFacts& facts(NodeId node) const { return facts_[slot(node)]; }
  [[nodiscard]] std::string_view node_name(NodeId node) const { return symbols_.text(facts(node).name); }
  /// As it was given, with what no built-in decision reads: annotations.
  [[nodiscard]] const kube::Node& node_object(NodeId node) const { return node_objects_[slot(node)]; }
  [[nodiscard]] NodeId find_node(std::string_view name) const;
  [[nodiscard]] NodeId find_node(Symbol name) const;
  [[nodiscard]] std::int64_t allocatable(NodeId node, ResourceId resource) const {
    return allocatable_[slot(resource)][slot(node)];
  }
  [[nodiscard]] std::int64_t requested(NodeId node, ResourceId resource) const {
    return requested_[slot(resource)][slot(node)];
  }
  [[nodiscard]] std::int64_t nonzero_cpu(NodeId node) const { return nonzero_cpu_[slot(node)]; }
  [[nodiscard]] std::int64_t nonzero_memory(NodeId node) const { return nonzero_memory_[slot(node)]; }
  [[nodiscard]] std::int64_t allowed_pods(NodeId node) const { return allowed_pods_[slot(node)]; }
  [[nodiscard]] const std::vector<PodId>& pods_on(NodeId node) const { return pods_on_[slot(node)]; }
  /// Columns by node, for loops over many: valid until a node or a resource is added.
  [[nodiscard]] std::span<const std::int64_t> allocatable(ResourceId resource) const {
    return allocatable_[slot(resource)];
  }
  [[nodiscard]] std::span<const std::int64_t> requested(ResourceId resource) const {
    return requested_[slot(resource)];
  }
  [[nodiscard]] std::span<const std::int64_t> nonzero_cpu() const { return nonzero_cpu_; }
  [[nodiscard]] std::span<const std::int64_t> nonzero_memory() const { return nonzero_memory_; }
  [[nodiscard]] bool has_host_ports(NodeId node) const { return port_users_[slot(node)] > 0; }
  /// Pods nominated to the node, in order of nomination.
  [[nodiscard]] const std::vector<PodId>& nominated_to(NodeId node) const { return nominations_.to(node); }
  /// Nodes in the order in which kube-scheduler lists them: zones in turn, each in order of creation.
  [[nodiscard]] const std::vector<NodeId>& scan_order() const;
  [[nodiscard]] const ImageState* image(Symbol name) const { return images_.find(name); }

  // ---- pods --------------------------------------------------------------------------------------------------------
  /// Pods that are known.
  [[nodiscard]] std::size_t pod_count() const { return pods_.size() - unused_pods_.size() - dead_pods_.size(); }
  /// All ids are below it, also those of pods that are gone.
  [[nodiscard]] std::size_t pod_slots() const { return pods_.size(); }
  [[nodiscard]] const PodRecord& pod(PodId id) const { return pods_[slot(id)]; }
  [[nodiscard]] const PodShape& shape(ShapeId id) const { return *shapes_[slot(id)]; }
  [[nodiscard]] const PodShape& shape_of(PodId id) const { return shape(pod(id).shape); }
  [[nodiscard]] std::size_t shape_count() const { return shape_by_key_.size(); }
  /// All ids are below it, also those of shapes that were reclaimed: see is_shape().
  [[nodiscard]] std::size_t shape_slots() const { return shapes_.size(); }
  [[nodiscard]] bool is_shape(ShapeId id) const {
    return id.index() < shapes_.size() && shapes_[id.index()] != nullptr;
  }
  [[nodiscard]] const std::string& pod_name(PodId id) const { return pod_names_[slot(id)]; }
  /// "namespace/name".
  [[nodiscard]] std::string pod_text(PodId id) const {
    return std::string(symbols_.text(pod(id).name_space)) + '/' + pod_name(id);
  }
  /// Invalid: no pod and no object speaks of such a group.
  [[nodiscard]] GroupId find_group(std::string_view name_space, std::string_view name) const;
  /// REQUIRES: a pod, or the group's object, speaks of it.
  [[nodiscard]] const PodGroup& group(GroupId id) const { return groups_.at(id); }
  /// See PodGroups::partly_placed(). O(groups).
  [[nodiscard]] std::vector<GroupId> partly_placed_groups() const { return groups_.partly_placed(); }
  [[nodiscard]] const LabelSet& namespace_labels(Symbol name) const;

  // ---- terms and counts --------------------------------------------------------------------------------------------
  [[nodiscard]] const PodTerm& term(TermId id) const { return terms_[slot(id)]; }
  [[nodiscard]] bool matches(TermId term, const PodShape& shape) const;
  TermId intern(const PodTerm& term);
  TopologyKeyId intern_topology_key(Symbol label);
  NodeFilterId intern(const NodeFilter& filter);
  /// Counts on first use: O(placed pods). Afterwards current until it is reclaimed.
  CounterId intern(const CounterSpec& spec);

  [[nodiscard]] const TopologyKey& topology_key(TopologyKeyId id) const { return keys_[slot(id)]; }
  [[nodiscard]] const NodeSet& filtered_nodes(NodeFilterId id) const { return filters_[slot(id)].nodes; }
  [[nodiscard]] const Counter& counter(CounterId id) const { return counters_[slot(id)]; }
  [[nodiscard]] const AffinityTermCount& affinity_term_count(AffinityTermCountId id) const {
    return affinity_term_counts_[slot(id)];
  }
  /// All ids are below it, also those of counters that were reclaimed.
  [[nodiscard]] std::size_t counter_slots() const { return counters_.size(); }
  [[nodiscard]] std::size_t affinity_term_count_slots() const { return affinity_term_counts_.size(); }
  [[nodiscard]] bool is_counter(CounterId id) const { return counters_[slot(id)].spec.key.valid(); }
  [[nodiscard]] bool is_affinity_term_count(AffinityTermCountId id) const {
    return affinity_term_counts_[slot(id)].spec.key.valid();
  }
  /// The affinity term counts whose term matches pods of the shape. Amortised O(1).
  [[nodiscard]] const std::vector<AffinityTermCountId>& matching_affinity_term_counts(ShapeId shape) const;

  /// PodOwnerIndex::selector_of, remembered.
  [[nodiscard]] const PodSelector& owner_selector(ShapeId shape) const;
  /// To change many services and controllers at once; forgets remembered owner selectors.
  [[nodiscard]] PodOwnerIndex& change_owners();

  [[nodiscard]] const std::vector<DisruptionBudget>& budgets() const { return budgets_.all(); }
  void set_budgets(std::vector<DisruptionBudget> budgets);
  /// How many pods the budget lets go now. REQUIRES: `budget` is a place in budgets().
  void allow_disruptions(std::size_t budget, std::int32_t pods);

  // ---- for readers that keep something derived from the cluster ----------------------------------------------------
  /// The nodes that changed: what they are, which pods are on them or nominated to them, or those pods' states.
  [[nodiscard]] const ChangeLog& changes() const { return changes_; }
  /// The nodes whose facts or capacity changed, among those of changes().
  [[nodiscard]] const ChangeLog& facts_changes() const { return facts_changes_; }
  /// Grows when what pods match changes: namespaces, services and controllers, which domains are one node each.
  [[nodiscard]] std::uint64_t matching_version() const { return matching_version_; }
  /// Grows with every new affinity term count.
  [[nodiscard]] std::uint64_t affinity_term_counts_made() const { return affinity_term_counts_made_; }
  /// Grows when facts change that many nodes share: how many nodes there are, on how many an image is.
  [[nodiscard]] std::uint64_t facts_version() const { return facts_version_; }
  /// Changes with the node's facts, capacity and annotations, and is never another node's.
  [[nodiscard]] std::uint64_t facts_version(NodeId node) const { return node_versions_[slot(node)]; }
  /// Grows when a budget changes.
  [[nodiscard]] std::uint64_t budget_version() const { return budget_version_; }
  /// Nodes with nominated pods, in no particular order.
  [[nodiscard]] const std::vector<NodeId>& nominated_nodes() const { return nominations_.nodes(); }

  [[nodiscard]] SymbolTable& symbols() { return symbols_; }
  [[nodiscard]] const SymbolTable& symbols() const { return symbols_; }
  [[nodiscard]] ResourceIndex& resources() { return resources_; }
  [[nodiscard]] const ResourceIndex& resources() const { return resources_; }
  [[nodiscard]] VolumeCatalog& volumes() { return volumes_; }
  [[nodiscard]] const VolumeCatalog& volumes() const { return volumes_; }

  /// Recounts a counter from the pods on the nodes, for tests.
  [[nodiscard]] Counter recount(CounterId id) const;
  [[nodiscard]] AffinityTermCount recount(AffinityTermCountId id) const;

 private:
  friend class Transaction;

  /// One change within a transaction, and what undoes it.
  struct Step {
    enum class What : std::uint8_t { kPlaced, kUnplaced, kNominated, kTerminating, kNodeAdded };
    What what = What::kPlaced;
    PodId pod;
    NodeId node;               // where it happened; of a nomination: where the pod was nominated to before
    std::size_t position = 0;  // where the pod stood among the node's pods, or among those nominated to it
    bool was_terminating = false;
    bool was_terminating_by_preemption = false;
  };
  /// Where a transaction began in each ledger.
  struct Marks {
    UndoLog<Step>::Mark steps = 0;
    DisruptionBudgets::Mark budgets = 0;
    VolumeCatalog::Mark volumes = 0;
    Reservations::Mark reservations = 0;
  };

  struct ShapeLinks {
    std::vector<AffinityTermCountId> holds;  // the terms that pods of the shape carry
    // Counters and affinity term counts that match the shape, in order, extended lazily up to the sizes seen.
    mutable std::vector<CounterId> counters;
    mutable std::size_t counters_seen = 0;
    mutable std::vector<AffinityTermCountId> affinity_term_counts;
    mutable std::size_t affinity_term_counts_seen = 0;
    mutable std::optional<PodSelector> owner_selector;
    mutable std::vector<ReservationId> reservations;
    mutable std::uint64_t reservations_seen = 0;  // Reservations::version() then
    const std::string* key = nullptr;             // in shape_by_key_
    std::uint32_t pods = 0;                       // that are known
  };
  struct FilteredNodes {
    NodeFilter filter;
    NodeSet nodes;
    bool used = true;
  };
  struct SpecMemo {
    std::shared_ptr<const kube::PodSpec> spec;
    std::string key;
  };
  /// What of a topology key decides how counts tell nodes apart.
  struct KeyForm {
    bool one_node_each = false;
    DomainId empty;
    friend bool operator==(const KeyForm&, const KeyForm&) = default;
  };

  // Where an id stands in its column. REQUIRES, where it is not measured: the id is one that was given out.
  [[nodiscard]] std::size_t slot(NodeId id) const { return within(id.index(), facts_.size()); }
  [[nodiscard]] std::size_t slot(PodId id) const { return within(id.index(), pods_.size()); }
  [[nodiscard]] std::size_t slot(ShapeId id) const {
    REQUIRES_SLOW(is_shape(id));
    return id.index();
  }
  [[nodiscard]] std::size_t slot(ResourceId id) const { return within(id.index(), requested_.size()); }
  [[nodiscard]] std::size_t slot(TermId id) const { return within(id.index(), terms_.size()); }
  [[nodiscard]] std::size_t slot(TopologyKeyId id) const { return within(id.index(), keys_.size()); }
  [[nodiscard]] std::size_t slot(NodeFilterId id) const { return within(id.index(), filters_.size()); }
  [[nodiscard]] std::size_t slot(CounterId id) const { return within(id.index(), counters_.size()); }
  [[nodiscard]] std::size_t slot(AffinityTermCountId id) const {
    return within(id.index(), affinity_term_counts_.size());
  }
  [[nodiscard]] static std::size_t within(std::size_t index, [[maybe_unused]] std::size_t size) {
    REQUIRES_SLOW(index < size);
    return index;
  }

  // transaction.cc
  Marks begin_transaction(bool is_seen);
  Marks keep_steps(const Marks& since, bool is_seen);
  void undo_steps(const Marks& since);
  void undo(const Step& step);
  void note_step(const Step& step);
  void end_transaction(bool is_seen);

  // nodes.cc
  void drop_node(NodeId id);
  void replace_facts(NodeId id, NodeFacts facts);
  void set_allocatable(NodeId id, const kube::Node& node);
  void add_images(NodeId id);
  void remove_images(NodeId id);
  void widen_resources();
  void note(NodeId node);
  void note_facts(NodeId node);
  void note_all();

  // topology.cc
  [[nodiscard]] bool moves(NodeId id, const NodeFacts& facts) const;
  void join_topology(NodeId id);
  void leave_topology(NodeId id);
  void enter_domain(TopologyKeyId key, NodeId node);
  void count_node(Counter& counter, NodeId node, std::int32_t sign) const;
  void count_pods_on(NodeId node, std::int32_t sign);
  [[nodiscard]] std::vector<KeyForm> key_forms() const;
  void settle_forms(const std::vector<KeyForm>& before);
  [[nodiscard]] bool passes(const NodeFilter& filter, const NodeFacts& facts) const;

  // cluster.cc
  void ensure_namespace(const std::string& name);
  [[nodiscard]] bool has_shapes(Symbol name_space) const;
  void relabel_namespace(Symbol name_space, LabelSet labels);
  template <class Concerns>
  void owners_changed(Concerns&& concerns);

  // pods.cc
  enum class NodeName : std::uint8_t { kAsWritten, kLeftOut };
  ShapeId intern_shape(const kube::Pod& pod, NodeName node_name);
  std::string shape_key(const kube::Pod& pod, NodeName node_name);
  void forget_unshared_specs();
  PodRecord describe(const kube::Pod& pod, NodeName node_name);
  PodId add(const kube::Pod& pod, NodeName node_name);
  void take_shape(ShapeId id);
  void leave_shape(ShapeId id);
  void account(PodId pod, NodeId node, std::int32_t sign);
  void place_at(PodId pod, NodeId node, std::size_t position);
  std::size_t take_off(PodId pod);
  void nominate_at(PodId pod, NodeId node, std::size_t position);
  std::size_t withdraw_nomination(PodId pod);
  void set_termination(PodId pod, bool terminating, bool by_preemption);
  void count_member(PodId pod, std::int32_t sign);

  // counters.cc
  AffinityTermCountId intern(const AffinityTermSpec& spec);
  [[nodiscard]] bool matches(const CounterSpec& spec, const PodShape& shape) const;
  const std::vector<CounterId>& counters_matching(ShapeId shape) const;
  void link(CounterId id);
  void link(AffinityTermCountId id);
  void count(PodId pod, NodeId node, std::int32_t sign);
  [[nodiscard]] DomainId domain(TopologyKeyId key, NodeId node) const {
    return keys_[key.index()].domain_of[node.index()];
  }
  [[nodiscard]] DomainId domain(const CounterSpec& spec, NodeId node) const {
    const TopologyKey& key = keys_[spec.key.index()];
    const DomainId own = key.domain_of[node.index()];
    return own.valid() || !spec.absent_is_empty ? own : key.empty;
  }
  [[nodiscard]] Counter empty_counter(const CounterSpec& spec) const;
  [[nodiscard]] bool counts(const CounterSpec& spec, const PodRecord& pod, NodeId node) const;

  // reclaim.cc
  void reclaim_pods();
  void reclaim_shapes();
  void reclaim_counters();
  void reclaim_terms();

  SymbolTable symbols_;
  ResourceIndex resources_{symbols_};
  VolumeCatalog volumes_;
  PodOwnerIndex owners_{symbols_};
  DisruptionBudgets budgets_;
  Reservations reservations_;
  Nominations nominations_;
  PodGroups groups_;
  UndoLog<Step> undo_;
  std::size_t unseen_ = 0;  // open transactions of which the change log knows nothing

  std::vector<NodeFacts> facts_;
  std::vector<kube::Node> node_objects_;
  std::vector<std::uint64_t> created_;  // by node: order of creation
  std::vector<std::uint64_t> node_versions_;
  std::vector<NodeId> nodes_;  // in order of creation
  UnusedIds<NodeId> unused_nodes_;
  std::uint64_t nodes_created_ = 0;
  std::uint64_t node_changes_ = 0;
  std::unordered_map<Symbol, NodeId> node_by_name_;
  std::vector<std::vector<std::int64_t>> allocatable_;  // [resource][node]
  std::vector<std::vector<std::int64_t>> requested_;    // [resource][node]
  std::vector<std::int64_t> nonzero_cpu_, nonzero_memory_, allowed_pods_;
  std::vector<std::int32_t> port_users_;
  std::vector<std::vector<PodId>> pods_on_;
  mutable std::vector<NodeId> scan_order_;
  Images images_;

  ChangeLog changes_, facts_changes_;
  std::uint64_t matching_version_ = 0;
  std::uint64_t facts_version_ = 0;
  std::uint64_t budget_version_ = 0;
  std::uint64_t affinity_term_counts_made_ = 0;
  std::uint64_t reclaims_ = 0;

  std::map<Symbol, LabelSet> namespaces_;

  std::vector<PodRecord> pods_;
  std::vector<std::string> pod_names_;
  std::vector<PodId> dead_pods_;  // removed, not yet reclaimed
  UnusedIds<PodId> unused_pods_;
  std::uint64_t pods_created_ = 0;
  std::vector<std::unique_ptr<const PodShape>> shapes_;
  std::vector<ShapeLinks> links_;
  UnusedIds<ShapeId> unused_shapes_;
  std::size_t idle_shapes_ = 0;  // without pods
  std::unordered_map<std::string, ShapeId> shape_by_key_;
  std::unordered_map<const kube::PodSpec*, SpecMemo> spec_keys_;

  std::vector<PodTerm> terms_;
  std::map<PodTerm, TermId> term_ids_;
  UnusedIds<TermId> unused_terms_;
  std::vector<TopologyKey> keys_;
  std::map<Symbol, TopologyKeyId> key_ids_;
  std::vector<FilteredNodes> filters_;
  std::map<NodeFilter, NodeFilterId> filter_ids_;
  UnusedIds<NodeFilterId> unused_filters_;
  std::vector<Counter> counters_;
  std::vector<std::uint64_t> counter_asked_;  // by counter: reclaims_ when it was last asked for
  std::map<CounterSpec, CounterId> counter_ids_;
  UnusedIds<CounterId> unused_counters_;
  std::vector<AffinityTermCount> affinity_term_counts_;
  std::vector<std::uint32_t> affinity_term_count_shapes_;  // by affinity term count: shapes that carry the term
  std::map<AffinityTermSpec, AffinityTermCountId> affinity_term_count_ids_;
  UnusedIds<AffinityTermCountId> unused_affinity_term_counts_;
};

}  // namespace loadline::cluster

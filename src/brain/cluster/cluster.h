#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/cluster/facts/images.h"
#include "brain/cluster/facts/labels.h"
#include "brain/cluster/facts/namespaces.h"
#include "brain/cluster/facts/node_facts.h"
#include "brain/cluster/facts/pod_owner_index.h"
#include "brain/cluster/facts/resources.h"
#include "brain/cluster/facts/run_facts.h"
#include "brain/cluster/facts/topology.h"
#include "brain/cluster/facts/topology_specs.h"
#include "brain/cluster/ids.h"
#include "brain/cluster/ledgers/change_log.h"
#include "brain/cluster/ledgers/counters.h"
#include "brain/cluster/ledgers/disruption_budgets.h"
#include "brain/cluster/ledgers/node_requests.h"
#include "brain/cluster/ledgers/nominations.h"
#include "brain/cluster/ledgers/pod_groups.h"
#include "brain/cluster/ledgers/reservations.h"
#include "brain/cluster/ledgers/topology_counts.h"
#include "brain/cluster/ledgers/undo_log.h"
#include "brain/cluster/ledgers/volumes.h"
#include "brain/cluster/node_table.h"
#include "brain/cluster/pod_record.h"
#include "brain/cluster/shapes/shape.h"
#include "brain/cluster/shapes/shapes.h"
#include "brain/cluster/unused_ids.h"
#include "brain/cluster/workload_pods.h"
#include "foundation/base/contract.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/scheduling/pod_group.h"

namespace loadline::cluster {

/// The model of the cluster that decisions read.
///
/// It owns ledgers, each of which knows one side of what a decision claims: room (NodeRequests), affinity and spreading
/// (TopologyCounts), volumes and claims, nominations, disruption budgets, groups, reservations. In a Transaction each
/// notes how to undo what it is told, so that all of them are as before after it. Invariants, each checked against
/// recomputation by tests:
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
  Cluster() = default;
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
  /// returned; nominations to it are withdrawn. O(counters + pods on the node), and every ranking starts anew, unless
  /// it was the last of its zone. REQUIRES: is_node(id).
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
  bool set_group(const GroupDescription& description);
  bool set_pod_group(const kube::PodGroup& group);
  /// Its object is gone; pods that name it know no minimum. False: there was none.
  bool remove_group(std::string_view name_space, const GroupName& group);
  bool remove_pod_group(std::string_view name_space, std::string_view name) {
    return remove_group(name_space, GroupName{GroupSpelling::kKubernetes, std::string(name)});
  }
  /// A pod of the group has succeeded, and is not known any more; it goes on to count towards the minimum.
  GroupId add_succeeded(std::string_view name_space, const GroupName& group, const SucceededPod& pod);
  /// One that had succeeded is gone. Invalid: nothing speaks of the group any more.
  GroupId remove_succeeded(std::string_view name_space, const GroupName& group, std::string_view pod);
  /// What a workload has on record of members that have succeeded counts, too, whether or not their pods are there: see
  /// FinishedMembers. Returns the id (invalid: nothing speaks of the group), and whether the minimum changed by that.
  std::pair<GroupId, bool> record_succeeded(std::string_view name_space, const GroupName& group,
                                            const SuccessRecord& record);
  /// How nodes lie within each other, as objects say: see TopologySpecs::set(). REQUIRES: no transaction is open.
  bool set_topology(std::string_view name, TopologySpec spec);
  bool remove_topology(std::string_view name);
  [[nodiscard]] const TopologySpecs& topologies() const { return topologies_; }
  /// As many of its pods as have to start together are on nodes, or were. What the group's object says is known anyway.
  /// REQUIRES: as group().
  void set_group_started(GroupId id) { set_group_started(id, group(id).asked()); }
  /// Or as many as `with` says, where more are asked for by now.
  void set_group_started(GroupId id, GroupStart with);
  /// Unplaces and forgets the pod. Its record can be read until reclaim(). Does nothing to one that is forgotten
  /// already.
  void remove_pod(PodId pod);
  void nominate(PodId pod, NodeId node);  ///< an invalid node withdraws
  void set_terminating(PodId pod, bool by_preemption);
  void set_started(PodId pod, Instant at);
  /// What decisions may know of how long the pod runs, where the pod itself does not say so.
  void set_expected_run(PodId pod, std::optional<Duration> span);

  // ---- what pods belong to: each costs O(shapes), and more only if some pod belongs to something else ---------------
  void set_service(const kube::Service& service);
  void remove_service(std::string_view name_space, std::string_view name);
  /// `kind` is ReplicaSet, StatefulSet or ReplicationController.
  void set_controller(std::string_view kind, const kube::ObjectMeta& metadata, const PodSelector& selector);
  void remove_controller(std::string_view kind, std::string_view name_space, std::string_view name);
  /// `allowed` is the number of disruptions that the budget permits at present.
  void set_budget(const kube::PodDisruptionBudget& budget, std::int32_t allowed);
  void remove_budget(std::string_view name_space, std::string_view name);

  /// In a transaction: decides as if the node were not there, until that is undone. If it is committed, the node is
  /// gone. Searches that are kept look at all nodes anew. REQUIRES: a kSeen transaction is open; no pod is on the node
  /// or nominated to it. O(nodes).
  void mask_node(NodeId id);

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
  /// The pod has left that place, so the placeholder is one of its reservation again, in order of creation, and on no
  /// node yet. REQUIRES: it was consumed, and no transaction is open.
  void give_back(PodId placeholder);
  /// The reservations that pods of the shape may consume, the oldest first. Amortised O(1).
  [[nodiscard]] const std::vector<ReservationId>& matching_reservations(ShapeId shape) const;

  // ---- transactions ------------------------------------------------------------------------------------------------
  /// From now on, transactions over the cluster cover the ledger, too. It outlives the cluster, or is detached before.
  /// REQUIRES: no transaction is open.
  void attach(Ledger& ledger);
  void detach(Ledger& ledger);
  /// See Ledger::release(). REQUIRES: no transaction is open.
  void release_claims(PodId pod);

  // ---- memory ------------------------------------------------------------------------------------------------------
  /// How many ids of pods and shapes wait to be reclaimed.
  [[nodiscard]] std::size_t reclaimable() const { return dead_pods_.size() + shapes_.idle(); }
  /// Frees what is kept for removed pods, for shapes without pods, and for terms and counters that no caller asked for
  /// since the last time; from now on their ids are given out again. O(shapes + terms + counters). To be called through
  /// placement::Scheduler::reclaim(), which remembers some of these ids, by a caller that holds no others.
  void reclaim();
  /// The counter will be asked for again: it stays in the next reclaim().
  void keep(CounterId id) { counts_.keep(id); }
  [[nodiscard]] std::uint64_t reclaims() const { return counts_.reclaims(); }

  // ---- nodes -------------------------------------------------------------------------------------------------------
  [[nodiscard]] std::size_t node_count() const { return nodes_.size(); }
  /// All ids are below it, also those of nodes that are gone: the size of a column by node.
  [[nodiscard]] std::size_t node_slots() const { return nodes_.slots(); }
  /// Whether the id is that of a node, not of one that is gone. O(1).
  [[nodiscard]] bool is_node(NodeId node) const { return nodes_.is_node(node); }
  /// In order of creation.
  [[nodiscard]] const std::vector<NodeId>& nodes() const { return nodes_.in_order(); }
  /// Whether `a` was created before `b`.
  [[nodiscard]] bool older(NodeId a, NodeId b) const { return nodes_.older(a, b); }
  [[nodiscard]] const NodeFacts& facts(NodeId node) const { return nodes_.facts(node); }
  [[nodiscard]] std::string_view node_name(NodeId node) const { return symbols_.text(facts(node).name); }
  /// As it was given, with what no built-in decision reads: annotations.
  [[nodiscard]] const kube::Node& node_object(NodeId node) const { return nodes_.object(node); }
  [[nodiscard]] NodeId find_node(std::string_view name) const;
  [[nodiscard]] NodeId find_node(Symbol name) const { return nodes_.find(name); }
  [[nodiscard]] std::int64_t allocatable(NodeId node, ResourceId resource) const {
    return requests_.allocatable(node, resource);
  }
  [[nodiscard]] std::int64_t requested(NodeId node, ResourceId resource) const {
    return requests_.requested(node, resource);
  }
  [[nodiscard]] std::int64_t nonzero_cpu(NodeId node) const { return requests_.nonzero_cpu(node); }
  [[nodiscard]] std::int64_t nonzero_memory(NodeId node) const { return requests_.nonzero_memory(node); }
  [[nodiscard]] std::int64_t allowed_pods(NodeId node) const { return requests_.allowed_pods(node); }
  [[nodiscard]] const std::vector<PodId>& pods_on(NodeId node) const { return requests_.pods_on(node); }
  /// Columns by node, for loops over many: valid until a node or a resource is added.
  [[nodiscard]] std::span<const std::int64_t> allocatable(ResourceId resource) const {
    return requests_.allocatable(resource);
  }
  [[nodiscard]] std::span<const std::int64_t> requested(ResourceId resource) const {
    return requests_.requested(resource);
  }
  [[nodiscard]] std::span<const std::int64_t> nonzero_cpu() const { return requests_.nonzero_cpu(); }
  [[nodiscard]] std::span<const std::int64_t> nonzero_memory() const { return requests_.nonzero_memory(); }
  [[nodiscard]] bool has_host_ports(NodeId node) const { return requests_.has_host_ports(node); }
  /// Pods nominated to the node, in order of nomination.
  [[nodiscard]] const std::vector<PodId>& nominated_to(NodeId node) const { return nominations_.to(node); }
  /// Nodes in the order in which kube-scheduler lists them: zones in turn, each in order of creation.
  [[nodiscard]] const std::vector<NodeId>& scan_order() const { return nodes_.scan_order(); }
  /// Of two nodes, the one whose place is less comes first in scan_order().
  [[nodiscard]] std::uint64_t scan_place(NodeId node) const { return nodes_.scan_place(node); }
  [[nodiscard]] const ImageState* image(Symbol name) const { return images_.find(name); }

  // ---- pods --------------------------------------------------------------------------------------------------------
  /// Pods that are known.
  [[nodiscard]] std::size_t pod_count() const { return pods_.size() - unused_pods_.size() - dead_pods_.size(); }
  /// All ids are below it, also those of pods that are gone.
  [[nodiscard]] std::size_t pod_slots() const { return pods_.size(); }
  [[nodiscard]] const PodRecord& pod(PodId id) const { return pods_[slot(id)]; }
  [[nodiscard]] const RunFacts& run_facts(PodId id) const;
  /// Those that the Workload of Kueue has started, in order of their coming: see PodRecord::workload.
  [[nodiscard]] std::span<const PodId> pods_of_workload(std::string_view name_space, std::string_view name) const;
  [[nodiscard]] const PodShape& shape(ShapeId id) const { return shapes_.at(id); }
  [[nodiscard]] const PodShape& shape_of(PodId id) const { return shape(pod(id).shape); }
  [[nodiscard]] std::size_t shape_count() const { return shapes_.size(); }
  /// All ids are below it, also those of shapes that were reclaimed: see is_shape().
  [[nodiscard]] std::size_t shape_slots() const { return shapes_.slots(); }
  [[nodiscard]] bool is_shape(ShapeId id) const { return shapes_.is_shape(id); }
  [[nodiscard]] const std::string& pod_name(PodId id) const { return pod_names_[slot(id)]; }
  /// "namespace/name".
  [[nodiscard]] std::string pod_text(PodId id) const {
    return std::string(symbols_.text(pod(id).name_space)) + '/' + pod_name(id);
  }
  /// Invalid: no pod and no object speaks of such a group.
  [[nodiscard]] GroupId find_group(std::string_view name_space, const GroupName& group) const;
  /// One that pods name in spec.schedulingGroup.
  [[nodiscard]] GroupId find_group(std::string_view name_space, std::string_view name) const {
    return find_group(name_space, GroupName{GroupSpelling::kKubernetes, std::string(name)});
  }
  /// REQUIRES: a pod, or the group's object, speaks of it.
  [[nodiscard]] const PodGroup& group(GroupId id) const { return groups_.at(id); }
  /// The copy of a later part of its group that the pod is of; nothing: it is of none. O(later parts).
  [[nodiscard]] std::optional<LaterCopy> later_copy_of(PodId pod) const;
  /// See PodGroups::placed(). O(groups).
  [[nodiscard]] std::vector<GroupId> placed_groups() const { return groups_.placed(); }
  [[nodiscard]] const LabelSet& namespace_labels(Symbol name) const { return namespaces_.labels(name); }

  // ---- terms and counts --------------------------------------------------------------------------------------------
  [[nodiscard]] const PodTerm& term(TermId id) const { return counts_.term(id); }
  [[nodiscard]] bool matches(TermId term, const PodShape& shape) const { return counts_.matches(term, shape); }
  TermId intern(const PodTerm& term) { return counts_.intern(term); }
  TopologyKeyId intern_topology_key(Symbol label) { return topology_.intern(label); }
  NodeFilterId intern(const NodeFilter& filter) { return topology_.intern(filter); }
  /// Counts on first use: O(placed pods). Afterwards current until it is reclaimed.
  CounterId intern(const CounterSpec& spec) { return counts_.intern(spec); }

  [[nodiscard]] const TopologyKey& topology_key(TopologyKeyId id) const { return topology_.key(id); }
  [[nodiscard]] const NodeSet& filtered_nodes(NodeFilterId id) const { return topology_.nodes(id); }
  [[nodiscard]] const Counter& counter(CounterId id) const { return counts_.counter(id); }
  [[nodiscard]] const AffinityTermCount& affinity_term_count(AffinityTermCountId id) const {
    return counts_.affinity_term_count(id);
  }
  /// All ids are below it, also those of counters that were reclaimed.
  [[nodiscard]] std::size_t counter_slots() const { return counts_.counter_slots(); }
  [[nodiscard]] std::size_t affinity_term_count_slots() const { return counts_.affinity_term_count_slots(); }
  [[nodiscard]] bool is_counter(CounterId id) const { return counts_.is_counter(id); }
  [[nodiscard]] bool is_affinity_term_count(AffinityTermCountId id) const { return counts_.is_affinity_term_count(id); }
  /// The affinity term counts whose term matches pods of the shape. Amortised O(1).
  [[nodiscard]] const std::vector<AffinityTermCountId>& matching_affinity_term_counts(ShapeId shape) const {
    return counts_.matching_affinity_term_counts(shape);
  }

  /// PodOwnerIndex::selector_of, remembered.
  [[nodiscard]] const PodSelector& owner_selector(ShapeId shape) const;
  /// To change many services and controllers at once; forgets remembered owner selectors.
  [[nodiscard]] PodOwnerIndex& change_owners();

  [[nodiscard]] const std::vector<DisruptionBudget>& budgets() const { return budgets_.all(); }
  void set_budgets(std::vector<DisruptionBudget> budgets) { budgets_.replace_all(std::move(budgets)); }
  /// How many pods the budget lets go now. REQUIRES: `budget` is a place in budgets().
  void allow_disruptions(std::size_t budget, std::int32_t pods) { budgets_.allow(budget, pods); }

  // ---- for readers that keep something derived from the cluster ----------------------------------------------------
  /// The nodes that changed: what they are, which pods are on them or nominated to them, or those pods' states. An id
  /// may be another node's by now, or no node's: see is_node() and membership_changes().
  [[nodiscard]] const ChangeLog& changes() const { return changes_; }
  /// The nodes whose facts or capacity changed, among those of changes().
  [[nodiscard]] const ChangeLog& facts_changes() const { return facts_changes_; }
  /// The nodes that came or went, among those of facts_changes(): an id may be another node's now, or no node's.
  [[nodiscard]] const ChangeLog& membership_changes() const { return membership_changes_; }
  /// Grows when what pods match changes: namespaces, services and controllers, which domains are one node each.
  [[nodiscard]] std::uint64_t matching_version() const { return matching_version_; }
  /// Grows with every new affinity term count.
  [[nodiscard]] std::uint64_t affinity_term_counts_made() const { return counts_.affinity_term_counts_made(); }
  /// Grows when facts change that many nodes share: how many nodes there are, on how many an image is.
  [[nodiscard]] std::uint64_t facts_version() const { return facts_version_; }
  /// Changes with the node's facts, capacity and annotations, and is never another node's.
  [[nodiscard]] std::uint64_t facts_version(NodeId node) const { return nodes_.version(node); }
  /// Grows when a budget changes.
  [[nodiscard]] std::uint64_t budget_version() const { return budgets_.version(); }
  /// Nodes with nominated pods, in no particular order.
  [[nodiscard]] const std::vector<NodeId>& nominated_nodes() const { return nominations_.nodes(); }

  [[nodiscard]] SymbolTable& symbols() { return symbols_; }
  [[nodiscard]] const SymbolTable& symbols() const { return symbols_; }
  [[nodiscard]] ResourceIndex& resources() { return resources_; }
  [[nodiscard]] const ResourceIndex& resources() const { return resources_; }
  [[nodiscard]] VolumeCatalog& volumes() { return volumes_; }
  [[nodiscard]] const VolumeCatalog& volumes() const { return volumes_; }

  /// Recounts a counter from the pods on the nodes, for tests.
  [[nodiscard]] Counter recount(CounterId id) const { return counts_.recount(id); }
  [[nodiscard]] AffinityTermCount recount(AffinityTermCountId id) const { return counts_.recount(id); }

 private:
  friend class Transaction;

  /// One change within a transaction, and what undoes it.
  struct Step {
    enum class What : std::uint8_t { kPlaced, kUnplaced, kNominated, kTerminating, kNodeAdded, kNodeMasked };
    What what = What::kPlaced;
    PodId pod;
    NodeId node;               // where it happened; of a nomination: where the pod was nominated to before
    std::size_t position = 0;  // where the pod stood among the node's pods, or among those nominated to it
    bool was_terminating = false;
    bool was_terminating_by_preemption = false;
  };
  /// What was found out about a shape.
  struct ShapeMemo {
    std::optional<PodSelector> owner_selector;
    std::vector<ReservationId> reservations;
    std::uint64_t reservations_seen = 0;  // Reservations::version() then
  };

  [[nodiscard]] std::size_t slot(PodId id) const {
    REQUIRES_SLOW(id.index() < pods_.size());
    return id.index();
  }

  // transaction.cc
  template <class Act>
  void for_each_ledger(Act&& act);
  void begin_transaction(bool is_seen);
  void keep_steps(bool is_seen);
  void undo_steps();
  void undo(const Step& step);
  void note_step(const Step& step);
  void end_transaction(bool is_seen);

  // nodes.cc
  void enter_node(NodeId id);
  void drop_node(NodeId id);
  void unmask_node(NodeId id);
  void replace_facts(NodeId id, NodeFacts facts);
  void set_allocatable(NodeId id, const kube::Node& node);
  void add_images(NodeId id);
  void remove_images(NodeId id);
  void widen_requests() { requests_.make_room_for(nodes_.slots(), resources_.size()); }
  void settle_forms(const std::vector<Topology::KeyForm>& before);
  void note(NodeId node);
  void note_facts(NodeId node);
  void note_membership(NodeId node);
  void note_all();

  // cluster.cc
  [[nodiscard]] bool has_shapes(Symbol name_space) const;
  void relabel_namespace(Symbol name_space, LabelSet labels);
  [[nodiscard]] ShapeMemo& memo_of(ShapeId shape) const;
  bool renew_owner_selector(ShapeId id, const PodShape& shape);
  template <class Concerns>
  void owners_changed(Concerns&& concerns);
  void service_changed(std::string_view name_space, const PodSelector& before, const PodSelector& after);

  // pods.cc
  ShapeId intern_shape(const kube::Pod& pod, NodeNamePart node_name);
  PodRecord describe(const kube::Pod& pod, NodeNamePart node_name);
  PodId add(const kube::Pod& pod, NodeNamePart node_name);
  void keep_run_facts(PodId pod, const RunFacts& facts);
  void account(PodId pod, NodeId node, std::int32_t sign);
  void place_at(PodId pod, NodeId node, std::size_t position);
  std::size_t take_off(PodId pod);
  void nominate_at(PodId pod, NodeId node, std::size_t position);
  std::size_t withdraw_nomination(PodId pod);
  void set_termination(PodId pod, bool terminating, bool by_preemption);
  void count_member(PodId pod, std::int32_t sign);
  void count_later(PodId pod, std::int32_t sign);
  void join_group(PodId pod, const kube::Pod& object);
  void leave_group(PodId pod);
  void follow_group(PodId pod, const kube::Pod& now);
  void reclaim_pods();

  SymbolTable symbols_;
  ResourceIndex resources_{symbols_};
  Namespaces namespaces_{symbols_};
  PodOwnerIndex owners_{symbols_};
  Images images_;

  // What there is.
  NodeTable nodes_;
  Shapes shapes_;
  mutable std::vector<ShapeMemo> memos_;  // by shape
  std::vector<PodRecord> pods_;
  std::vector<std::string> pod_names_;
  std::vector<RunFacts> run_facts_;  // by pod; shorter: the others have none
  WorkloadPods workload_pods_;
  std::vector<PodId> dead_pods_;  // removed, not yet reclaimed
  UnusedIds<PodId> unused_pods_;
  std::uint64_t pods_created_ = 0;

  // The ledgers.
  NodeRequests requests_;
  Topology topology_{nodes_, symbols_};
  TopologyCounts counts_{topology_, {nodes_, requests_, pods_, shapes_, namespaces_, symbols_}};
  VolumeCatalog volumes_;
  DisruptionBudgets budgets_;
  Nominations nominations_;
  PodGroups groups_;
  TopologySpecs topologies_;
  Reservations reservations_;
  UndoLog<Step> undo_;
  std::vector<NodeTable::Masked> masked_;  // in open transactions, the last one last
  std::vector<Ledger*> attached_;          // ledgers of rooms above
  std::size_t unseen_ = 0;                 // open transactions of which the change log knows nothing

  ChangeLog changes_, facts_changes_, membership_changes_;
  std::uint64_t matching_version_ = 0;
  std::uint64_t facts_version_ = 0;
};

}  // namespace loadline::cluster

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "brain/engine/dispatcher.h"
#include "brain/engine/policy.h"
#include "brain/gang/topology/whereabouts.h"
#include "brain/placement/extensions.h"
#include "brain/workloads/gates.h"
#include "foundation/base/diagnostic.h"
#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "hosts/simulator/pod_bound.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// What became of a pod at the end of the plan.
enum class PodOutcome : std::uint8_t {
  kRunning,     ///< was on its node before the plan began, and still is
  kPlaced,      ///< the plan found it a node
  kPending,     ///< no node will have it
  kGated,       ///< its scheduling gates hold it back
  kRejected,    ///< admission refused it
  kPreempted,   ///< gave way to a pod of higher priority
  kEvicted,     ///< a drain, its node's NoExecute taint, or its group evicted it
  kIgnored,     ///< its schedulerName is no profile's
  kEnded,       ///< ran to its end, as expected: PlanOptions::ends_until
  kNotCreated,  ///< its controller waits for other pods of the workload, which have no node
  kQueued,      ///< its queue holds the workload back
  kFailed,      ///< it names its node, whose kubelet refused it, or which is not there
};

/// A top-level owner: "Deployment default/web". A bare pod is its own workload, of kind Pod.
struct WorkloadName {
  std::string kind;
  std::string name_space;
  std::string name;
  friend auto operator<=>(const WorkloadName&, const WorkloadName&) = default;
};

/// "3 Insufficient cpu": how many nodes one reason keeps the pod from, and which plugin said so.
struct NodeReason {
  std::size_t nodes = 0;
  std::string plugin;
  std::string text;
};

/// When a pod or group that waits will start, as far as it is known when others end.
struct StartPlan {
  Instant at;
  Duration after;                    ///< from the start of the plan
  std::vector<std::string> nodes;    ///< where its pods will be, each node once
  std::vector<WorkloadName> awaits;  ///< whose pods have to leave these nodes first, in order of their ends
};

/// A planned start that others wait for, and that a pod or group was let pass.
struct PassedStart {
  std::string unit;  ///< "pod group ml/train": whose it is
  Instant at;
  decision::PassingRule rule = decision::PassingRule::kEndsBefore;
};

struct PlannedPod {
  std::string name_space;
  std::string name;
  WorkloadName workload;
  std::string role;  ///< "worker": which of the workload's kinds of pods it is; empty: they are all of one
  PodOutcome outcome = PodOutcome::kPending;
  std::string node;            ///< where it is, or was until it was preempted or evicted
  std::string nominated_node;  ///< where victims are leaving for it
  std::int32_t priority = 0;
  std::string scheduler_name;
  std::string pod_group;  ///< the name of the pod group that it belongs to; empty: none
  cluster::GroupSpelling pod_group_spelling = cluster::GroupSpelling::kKubernetes;
  kube::ResourceList requests;       ///< effective: containers, init containers, overhead
  std::string message;               ///< Kubernetes' own text: FitError, admission's refusal, gates
  std::vector<NodeReason> reasons;   ///< of a pending pod, most nodes first
  std::string preempted_by;          ///< "namespace/name"
  std::string replaced_by;           ///< "namespace/name" of the pod that its controller made when it left
  bool is_evicted_by_taint = false;  ///< a NoExecute taint of its node evicted it
  std::string reservation;           ///< whose room it has consumed in this plan
  /// Of a pending pod: who holds room of what it lacks, for replacements alone: "Reservation ml/spares (2 pods)".
  std::vector<std::string> spares;
  /// Of a pod that starts in this plan, or has a gate: "its queue team-a is Kueue's". Whether and when that queue lets
  /// it start is not decided here; the plan shows where it would be then. Empty: there is no such queue.
  std::string undecided;
  std::string held_by;  ///< "pod group ml/train": a pending pod fits, but would move the planned start of that one
  std::optional<StartPlan> start;   ///< of a single pod that waits before a group; nothing: it has no planned start
  std::vector<PassedStart> passed;  ///< of a single pod that was placed, in the order of the units
  Duration after;                   ///< virtual time from the start of the plan to the outcome
};

/// Whether the pod is on a node at the end of the plan. One that has ended was on its node until then, and counts.
[[nodiscard]] inline bool has_node(const PlannedPod& pod) {
  return pod.outcome == PodOutcome::kPlaced || pod.outcome == PodOutcome::kRunning || pod.outcome == PodOutcome::kEnded;
}

struct PlannedResource {
  kube::Quantity allocatable;
  kube::Quantity requested;
};

struct PlannedNode {
  std::string name;
  bool unschedulable = false;
  std::vector<std::string> taints;  ///< "key=value:Effect"
  kube::StringMap labels;
  std::map<std::string, PlannedResource> resources;  ///< by resource name
  std::int64_t allowed_pods = 0;
  std::vector<std::size_t> pods;  ///< indices into Plan::pods of those on it at the end
  /// Indices into Plan::reservations, one for each pod's room that is held on it at the end.
  std::vector<std::size_t> reserved;

  /// Pods that are on it, and those that room is held for.
  [[nodiscard]] std::size_t slots_used() const { return pods.size() + reserved.size(); }
};

/// What became of a reservation at the end of the plan.
enum class ReservationOutcome : std::uint8_t {
  kHolding,   ///< holds all that no pod has consumed
  kWaiting,   ///< some of its room has no node
  kConsumed,  ///< pods have consumed all of it
  kAhead,     ///< begins after the plan
  kEnded,     ///< its time was over when the plan began
};

/// Room on one node.
struct ReservedShare {
  std::string node;
  std::size_t pods = 0;
};

/// Room in one domain.
struct ReservedDomain {
  std::string name;
  std::size_t held = 0;
  std::size_t waiting = 0;
};

struct PlannedReservation {
  std::string name_space;  ///< empty: it is in none
  std::string name;
  ReservationOutcome outcome = ReservationOutcome::kHolding;
  std::size_t pods = 0;      ///< that it is for, in all domains together
  std::size_t held = 0;      ///< whose room is held
  std::size_t waiting = 0;   ///< whose room has no node
  std::size_t consumed = 0;  ///< that have it
  std::vector<ReservedShare> nodes;
  std::string per_domain;               ///< label in each domain of which room is held; empty: it is not
  std::vector<ReservedDomain> domains;  ///< then: by name
  bool is_for_replacements = false;     ///< only pods that replace lost members of a group take it
  std::vector<std::size_t> consumers;   ///< indices into Plan::pods; those of `consumed` that are known
  std::string starts_with;              ///< pod group with which its room is found; empty: it is found by itself
  kube::ResourceList requests;          ///< of one pod
  std::optional<Instant> from;
  std::optional<Instant> until;     ///< nullopt: it has no end, or one that its ttl says
  std::string message;              ///< why room waits: Kubernetes' own text
  std::vector<NodeReason> reasons;  ///< the same, most nodes first

  /// Whether a reader is shown it. Of room that starts with a group, and is not held, the group tells.
  [[nodiscard]] bool is_shown() const { return starts_with.empty() || held > 0; }
};

/// How a workload stands in Kueue's queues at the end of the plan.
enum class QueuedOutcome : std::uint8_t {
  kAdmitted,
  kReserved,  ///< it has quota, and waits for admission checks
  kPending,   ///< it waits for quota
  kLeaving,   ///< it was stopped, and its pods have not all gone
  kHeld,      ///< no queue lets it start as things are
};

/// A job in one of Kueue's queues.
struct PlannedQueuedWorkload {
  WorkloadName job;
  std::string name;           ///< of its Workload
  std::string local_queue;    ///< that it names
  std::string cluster_queue;  ///< that gave it quota, or in which it waits; empty: none
  std::int32_t priority = 0;
  QueuedOutcome outcome = QueuedOutcome::kPending;
  std::string message;                  ///< why it has not started, in Kueue's words
  std::optional<std::size_t> position;  ///< so many are before it in its ClusterQueue
  std::vector<std::string> flavors;     ///< that it was given, each once
  kube::ResourceList usage;             ///< of its quota, or what it asks for
  std::size_t evictions = 0;            ///< in this plan
  Duration after;                       ///< from the start of the plan to when that was decided
};

/// What a queue or cohort has of one resource of a flavor, in this order of reading: of `nominal` it uses `used`, and
/// may use `most` while others of its cohort leave theirs.
struct PlannedQuota {
  std::string flavor;
  std::string resource;
  kube::Quantity nominal;                   ///< its own
  kube::Quantity used;                      ///< by what is in it; of a cohort: that its members do not have themselves
  kube::Quantity borrowed;                  ///< of `used`: beyond what is its own, or its members'
  kube::Quantity lent;                      ///< of its own, that others use: it would have to be reclaimed
  std::optional<kube::Quantity> most;       ///< nullopt: without a limit
  std::optional<kube::Quantity> borrowing;  ///< its borrowingLimit
  std::optional<kube::Quantity> lending;    ///< its lendingLimit
};

/// A ClusterQueue or a Cohort of Kueue.
struct PlannedQueue {
  std::string kind;  ///< "ClusterQueue", "Cohort"
  std::string name;
  std::string parent;     ///< its cohort; empty: none
  std::size_t depth = 0;  ///< cohorts above it
  std::vector<PlannedQuota> quotas;
  double weight = 1;  ///< of fair sharing
  /// Kueue's share: 1000 · what it borrows / what its cohort could lend, of the resource of which that is most, divided
  /// by the weight. nullopt: it borrows, and has no weight.
  std::optional<double> share;
  std::size_t pending = 0;    ///< workloads
  std::size_t admitted = 0;   ///< workloads that have quota
  std::string inactive = {};  ///< why it admits nothing, in Kueue's words; empty: it does
};

/// What became of a pod group at the end of the plan.
enum class GroupOutcome : std::uint8_t {
  kStarted,       ///< as many members as have to start together are on nodes
  kWaitsForRoom,  ///< it starts once those are gone that its members evict
  kDoesNotFit,
  kFailed,  ///< something is wrong with the group, or a plugin failed
  kHeld,    ///< it has no turn: members or its object are missing, or something else holds all of them back
};

/// The member that keeps its group from starting.
struct StoppedMember {
  std::size_t pod = 0;  ///< index into Plan::pods
  std::string name;
  WorkloadName workload;
  std::string message;  ///< why no node would have it, those members having their places that do fit
  std::vector<NodeReason> reasons;
  std::vector<std::string> spares = {};  ///< see PlannedPod
};

/// A role or subgroup of a group that has fewer members than have to start together.
struct LackingMembers {
  std::string subgroup;
  std::size_t members = 0;
  std::size_t least = 0;
};

/// Who left for a group as a whole, and what is lost by that.
struct EvictedUnit {
  std::string unit;  ///< "pod group ml/old (8 pods)", "pod ml/dev"
  std::size_t pods = 0;
  std::int64_t gpu_seconds = 0;  ///< run time × GPUs since the start or the last checkpoint
};

/// Pods that are scheduled whole or not at all.
struct PlannedGroup {
  std::string name_space;
  std::string name;
  cluster::GroupSpelling spelling = cluster::GroupSpelling::kKubernetes;  ///< in whose words its pods name it
  GroupOutcome outcome = GroupOutcome::kHeld;
  bool is_described = false;  ///< its object is in the input, or its pods say its minimum
  /// So many start together, of those that are created; nothing: a basic group, or no object says.
  std::optional<std::int32_t> min_count;
  std::optional<std::int32_t> priority;  ///< its own, which counts for all its pods; nothing: that of its pods
  bool has_minimums_of_subgroups = false;
  std::string message;                  ///< Kubernetes' own text; empty if it started
  std::vector<WorkloadName> workloads;  ///< whose pods name it, in order of their first pod

  // ---- pods that name it -------------------------------------------------------------------------------------------
  std::size_t members = 0;            ///< that the scheduler knows of at the end, gated ones among them
  std::size_t running = 0;            ///< of the members: on a node before the plan began
  std::size_t placed = 0;             ///< of the members: on a node at the end, running ones among them
  std::size_t gated = 0;              ///< of the members: held back by scheduling gates
  std::size_t rejected = 0;           ///< refused at admission, so no members
  std::size_t ignored = 0;            ///< of schedulers that have no profile, so no members
  std::size_t succeeded = 0;          ///< no members any more, but they count towards the minimum
  std::size_t to_come = 0;            ///< not created yet, so no members
  std::size_t room_held = 0;          ///< for so many of these, which count towards the minimum
  std::size_t room_awaited = 0;       ///< is found when the group starts: likewise
  std::vector<LackingMembers> lacks;  ///< why it has no turn, where there are enough members of all together

  std::vector<EvictedUnit> evicts;  ///< who left for it as a whole, most important first
  std::vector<PassedStart> passed;  ///< as of PlannedPod

  // ---- of a group that had a turn and waits ------------------------------------------------------------------------
  std::size_t fits = 0;     ///< members that found a place in its last turn
  std::size_t hopeful = 0;  ///< members that would, once others were evicted
  std::optional<StoppedMember> stopped_by;

  std::optional<gang::Whereabouts> whereabouts;  ///< of those on nodes, if it asks for a topology
  std::optional<StartPlan> start;                ///< nothing: it has no planned start
  std::string held_by;  ///< "Pod group ml/train": it fits, but would move the planned start of that one
  /// Of a group whose members did not suffice in their order, in its last turn: what the search for other places came
  /// to.
  std::optional<gang::SearchReport> search;

  /// Whether it cannot go on with so many of its members. Where subgroups have minimums of their own, it spares nobody:
  /// which members it could is not looked at.
  [[nodiscard]] bool loses_run(std::size_t staying, std::size_t of_members) const {
    if (has_minimums_of_subgroups) return staying < of_members;
    return static_cast<std::int64_t>(staying) < min_count.value_or(0);
  }
};

/// Something the scheduler or a controller did that a reader of the plan should see, in order of time.
struct PlannedEvent {
  Duration after;
  std::string subject;  ///< "Pod default/web-0"
  std::string reason;   ///< Kubernetes' event reason: Preempted, TaintManagerEviction, FailedCreate, …
  std::string message;
};

/// An object other than a pod that admission refused; what it would have created does not exist.
struct RefusedObject {
  WorkloadName object;
  std::string message;
};

/// A workload without pods whose queue is another project's: whether and when that starts it is not decided here.
struct UndecidedWorkload {
  WorkloadName workload;
  std::string why;  ///< as PlannedPod::undecided
};

/// A pod that PlanOptions::evictions names and that its disruption budgets keep where it is.
struct RefusedEviction {
  std::size_t pod = 0;  ///< index into Plan::pods
  std::string message;
};

/// Everything a plan decided. Pods are in order of creation, nodes in order of input.
struct Plan {
  std::vector<PlannedPod> pods;
  std::vector<PlannedNode> nodes;
  std::vector<PlannedGroup> groups;  ///< those of the input in its order, then those that only pods speak of
  std::vector<PlannedReservation> reservations;  ///< in order of the input, Koordinator's last
  std::vector<PlannedEvent> events;
  std::vector<RefusedObject> refused;
  std::vector<UndecidedWorkload> undecided;  ///< those of `idle` of which that is so
  std::vector<WorkloadName> idle;  ///< top-level workloads that have no pod: no replicas, suspended, no node selected
  std::vector<PlannedQueuedWorkload> queued;  ///< in the order in which their Workloads are made
  std::vector<PlannedQueue> queues;           ///< see planned_queues()
  std::vector<RefusedEviction> refused_evictions;
  Diagnostics notes;       ///< worth knowing, none of them an error of the input
  std::size_t cycles = 0;  ///< scheduling attempts made
};

struct PodName {
  std::string name_space;
  std::string name;
  friend auto operator<=>(const PodName&, const PodName&) = default;
};

/// Pods that leave together at some time of a plan.
struct PlannedEviction {
  Instant at;
  std::vector<PodName> pods;
};

/// A group that had started before the plan, and with how many members.
struct KnownStart {
  std::string name_space;
  cluster::GroupName group;
  cluster::GroupStart with;
};

struct PlanOptions {
  Instant now;  ///< start of virtual time
  std::uint64_t seed = 1;
  engine::Policy policy;
  workloads::Gates gates;
  std::int64_t most_pods = kMostPlannedPods;  ///< that workloads may make; a plan of more is refused before any is made
  placement::Extensions extensions;           ///< plugins that are not built in
  /// Pods that the user asks the eviction API to evict when the plan begins, in this order, and again whenever
  /// something has changed: each leaves once its disruption budgets allow it. Those that are not on a node stay as they
  /// are.
  std::vector<PodName> evictions;
  /// The same at a later time, of pods that leave together: all of them at once, or none as long as a budget forbids
  /// it.
  std::vector<PlannedEviction> later_evictions;
  /// The nodes that these evictions are to free. A pod that is evicted from another node leaves with its group.
  std::set<std::string> drained;
  /// Pods that are on nodes when the plan begins and are expected to end by then (gang::ExpectedEnds) end when they
  /// are expected to, and no controller replaces them. nullopt: pods do not end.
  std::optional<Instant> ends_until;
  /// With what groups have started, as an earlier plan of this cluster had it: not all objects of groups can say it.
  std::vector<KnownStart> starts;
  /// Replacements that an earlier plan of this cluster named: their names are not given again.
  std::uint64_t replacements = 0;
  std::optional<PodName> watch;  ///< whose decisions to keep in full; an empty namespace: any
  /// Tells of every decision, as it is made. May be empty.
  std::function<void(const decision::PodTurn&, const cluster::Cluster&)> when_decided;
  /// Called now and then with (pods decided, pods in all); may be empty.
  std::function<void(std::size_t, std::size_t)> progress;
};

/// Runs the cluster forward in virtual time until nothing changes any more: workloads become pods, pods are admitted in
/// order of creation, queued by priority and age, placed, and may preempt; victims leave after their grace period,
/// NoExecute taints evict. Jobs do not finish: a plan shows where everything lands, not how long it runs. Errors: the
/// scheduler configuration is inconsistent; workloads make more than PlanOptions::most_pods.
Result<Plan> make_plan(const kube::Objects& objects, const kube::SchedulerConfiguration& configuration,
                       const PlanOptions& options);

}  // namespace loadline::simulator

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "brain/engine/dispatcher.h"
#include "brain/engine/policy.h"
#include "brain/placement/extensions.h"
#include "foundation/base/diagnostic.h"
#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// What became of a pod at the end of the plan.
enum class PodOutcome : std::uint8_t {
  kRunning,    ///< was on its node before the plan began, and still is
  kPlaced,     ///< the plan found it a node
  kPending,    ///< no node will have it
  kGated,      ///< its scheduling gates hold it back
  kRejected,   ///< admission refused it
  kPreempted,  ///< gave way to a pod of higher priority
  kEvicted,    ///< a drain, its node's NoExecute taint, or its group evicted it
  kIgnored,    ///< its schedulerName is no profile's
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

struct PlannedPod {
  std::string name_space;
  std::string name;
  WorkloadName workload;
  PodOutcome outcome = PodOutcome::kPending;
  std::string node;            ///< where it is, or was until it was preempted or evicted
  std::string nominated_node;  ///< where victims are leaving for it
  std::int32_t priority = 0;
  std::string scheduler_name;
  std::string pod_group;            ///< the name of the PodGroup that it belongs to; empty: none
  kube::ResourceList requests;      ///< effective: containers, init containers, overhead
  std::string message;              ///< Kubernetes' own text: FitError, admission's refusal, gates
  std::vector<NodeReason> reasons;  ///< of a pending pod, most nodes first
  std::string preempted_by;         ///< "namespace/name"
  Duration after;                   ///< virtual time from the start of the plan to the outcome
};

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
};

/// Pods that are scheduled whole or not at all.
struct PlannedGroup {
  std::string name_space;
  std::string name;
  GroupOutcome outcome = GroupOutcome::kHeld;
  bool is_described = false;              ///< its object is in the input
  std::optional<std::int32_t> min_count;  ///< so many start together; nothing: a basic group, or no object says
  std::string message;                    ///< Kubernetes' own text; empty if it started
  std::vector<WorkloadName> workloads;    ///< whose pods name it, in order of their first pod

  // ---- pods that name it -------------------------------------------------------------------------------------------
  std::size_t members = 0;   ///< that the scheduler knows of at the end, gated ones among them
  std::size_t running = 0;   ///< of the members: on a node before the plan began
  std::size_t placed = 0;    ///< of the members: on a node at the end, running ones among them
  std::size_t gated = 0;     ///< of the members: held back by scheduling gates
  std::size_t rejected = 0;  ///< refused at admission, so no members

  // ---- of a group that had a turn and waits ------------------------------------------------------------------------
  std::size_t fits = 0;     ///< members that found a place in its last turn
  std::size_t hopeful = 0;  ///< members that would, once others were evicted
  std::optional<StoppedMember> stopped_by;
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
  std::vector<PlannedEvent> events;
  std::vector<RefusedObject> refused;
  std::vector<WorkloadName> idle;  ///< top-level workloads that have no pod: no replicas, suspended, no node selected
  std::vector<RefusedEviction> refused_evictions;
  Diagnostics notes;       ///< worth knowing, none of them an error of the input
  std::size_t cycles = 0;  ///< scheduling attempts made
};

struct PodName {
  std::string name_space;
  std::string name;
  friend auto operator<=>(const PodName&, const PodName&) = default;
};

struct PlanOptions {
  Instant now;  ///< start of virtual time
  std::uint64_t seed = 1;
  engine::Policy policy;
  placement::Extensions extensions;  ///< plugins that are not built in
  /// Pods that the user asks the eviction API to evict when the plan begins, in this order, and again whenever
  /// something has changed: each leaves once its disruption budgets allow it. Those that are not on a node stay as they
  /// are.
  std::vector<PodName> evictions;
  /// Replacements that an earlier plan of this cluster named: their names are not given again.
  std::uint64_t replacements = 0;
  std::optional<PodName> watch;  ///< whose decisions to keep in full; an empty namespace: any
  /// Tells of every decision, as it is made. May be empty.
  std::function<void(const engine::PodTurn&, const cluster::Cluster&)> when_decided;
  /// Called now and then with (pods decided, pods in all); may be empty.
  std::function<void(std::size_t, std::size_t)> progress;
};

/// Runs the cluster forward in virtual time until nothing changes any more: workloads become pods, pods are admitted in
/// order of creation, queued by priority and age, placed, and may preempt; victims leave after their grace period,
/// NoExecute taints evict. Jobs do not finish: a plan shows where everything lands, not how long it runs. Errors: the
/// scheduler configuration is inconsistent.
Result<Plan> make_plan(const kube::Objects& objects, const kube::SchedulerConfiguration& configuration,
                       const PlanOptions& options);

}  // namespace loadline::simulator

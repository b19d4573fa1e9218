#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "brain/engine/policy.h"
#include "brain/placement/extensions.h"
#include "brain/workloads/gates.h"
#include "foundation/base/diagnostic.h"
#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::timeline {

/// How a pod or a workload stands when the timeline ends.
enum class Ending : std::uint8_t {
  kPending,    ///< it has not started: of a workload, none of its pods has a node
  kStarting,   ///< of a workload: some of its pods run, others wait
  kRunning,    ///< all of it runs
  kCompleted,  ///< it has ended well
  kFailed,     ///< it has ended otherwise
  kDeleted,    ///< it is gone: evicted, preempted, scaled away, deleted after its time
};

/// The top-level owner of pods: "Job default/train". A bare pod is its own workload, of kind Pod.
struct WorkloadName {
  std::string kind;
  std::string name_space;
  std::string name;
  friend auto operator<=>(const WorkloadName&, const WorkloadName&) = default;
};

/// A pod's life. Times are since the beginning; nothing: that did not happen.
struct PodLife {
  std::string name_space;
  std::string name;
  std::size_t workload = 0;  ///< index into Timeline::workloads
  std::string node;          ///< where it is or was; empty: it had none
  Duration created;
  std::optional<Duration> scheduled;
  std::optional<Duration> started;  ///< it ran: its status said Running for the first time
  std::optional<Duration> ended;    ///< it ended, or was gone
  Ending ending = Ending::kPending;
  std::string message;        ///< why it waits or how it failed, in Kubernetes' words
  std::int32_t restarts = 0;  ///< of its containers
};

struct WorkloadLife {
  WorkloadName name;
  Duration arrived;
  std::optional<Duration> started;      ///< the first of its pods got a node
  std::optional<Duration> all_started;  ///< for the first time as many of its pods had nodes at once as it wants
  std::optional<Duration> ended;        ///< it completed, failed, or was gone
  Ending ending = Ending::kPending;
  std::string message;  ///< why it waits, or how it ended, in Kubernetes' words
  /// "its queue team-a is Kueue's": whether and when that queue lets it start is not decided, and the timeline shows it
  /// as if there was none. Empty: there is none, or it ran from the beginning.
  std::string undecided = {};
  std::size_t pods = 0;  ///< that it had in all, those that were replaced among them
  std::size_t failed_pods = 0;
};

/// An amount from `at` on, until the next step.
struct Step {
  Duration at;
  double value = 0;
};

/// One resource of all nodes together: cpu in cores, memory in bytes, others in units.
struct ResourceUse {
  std::string resource;
  std::vector<Step> allocatable;
  std::vector<Step> requested;  ///< by pods that are on nodes and have not ended
};

/// A ClusterQueue of Kueue's over time, as its status says.
struct QueueLife {
  std::string name;
  std::string resource;  ///< that the amounts are of: GPUs, if it has quota of any, else its first; over all flavors
  double nominal = 0;
  std::vector<Step> pending;   ///< workloads that wait for quota
  std::vector<Step> used;      ///< by workloads that have quota
  std::vector<Step> borrowed;  ///< of it: beyond its own quota
};

/// What happens to a cluster and its workloads as time passes, on virtual machines.
struct Timeline {
  Instant start;
  Duration end;                         ///< how long it was watched
  bool is_idle = false;                 ///< nothing more will happen by itself
  std::vector<std::string> nodes;       ///< in order of the input, then those that came
  std::vector<WorkloadLife> workloads;  ///< in order of arrival, then by name
  std::vector<PodLife> pods;            ///< likewise
  std::vector<ResourceUse> resources;   ///< cpu, memory, then the others by name
  std::vector<Step> pending_pods;       ///< that are to have a node and have none
  std::vector<QueueLife> queues;        ///< by name
  Diagnostics notes;                    ///< objects that the API server refused, and the like
};

struct TimelineOptions {
  Instant start;
  /// Nothing: until idle, that is until no pod waits for a node or will end by itself and no controller has anything
  /// more to do but to renew what it renews for ever (leases, CronJobs' next runs), but for `longest` at most.
  std::optional<Duration> until;
  Duration longest = Duration::seconds(std::int64_t{366} * 86'400);
  std::uint64_t seed = 1;
  std::optional<engine::Policy> policy;  ///< goes before the Policy of the input
  kube::SchedulerConfiguration configuration;
  workloads::Gates gates;
  placement::Extensions extensions = {};  ///< plugins and extenders that its profiles may name
  /// Called now and then with the virtual time that has passed; may be empty.
  std::function<void(Duration)> progress;
};

/// Runs the objects in an embedded cluster in virtual time: API server, controllers, operators, scheduler and virtual
/// machines are those of `loadline up`, so lives of pods are as docs/virtual-nodes.md says (loadline.dev/run-time and
/// so on). All nodes of the input are virtual; those that are not ready are dead. Objects of a dump (they have uids)
/// are restored as they were, with what happened before at time 0: pods of the input that are on nodes stay there, and
/// run for as long as loadline.dev/run-time, or else loadline.dev/expected-duration says, or for ever. Then the others
/// are created, one after the other, as `kubectl apply` would; namespaces that they only mention are there.
///
/// Idle: for 30 minutes, and as much longer as the longest span of which the input speaks (stated_times.h), no pod or
/// workload came, went, got a node, started or ended, and none that is to end was restarted; what CronJobs begin anew
/// does not count. The timeline then ends where the last of it happened, however long was waited for more. With
/// `until` it ends there, and `is_idle` says whether it had been quiet for so long.
///
/// Unless nodes are flaky, their Leases are renewed once a day (those of clusters with dead nodes, for the first five
/// minutes, every 10 s, so that those are noticed in time), which nothing depends on; heartbeats cost little, then.
/// Cost: some milliseconds for each pod, and half a minute for a year in which nothing happens.
///
/// The same input gives the same timeline. Errors: the configuration is inconsistent; there are no nodes.
Result<Timeline> run(const std::vector<document::Value>& objects, const TimelineOptions& options);

}  // namespace loadline::timeline

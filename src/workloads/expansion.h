#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "kube/objects.h"
#include "workloads/workload.h"

namespace loadline::workloads {

/// Something a person should know about how a workload was expanded, for example that it is suspended.
struct Note {
  Workload workload;
  std::string message;  ///< no trailing period
};

struct CreatedPod {
  kube::Pod pod;      ///< replicas share one spec
  Workload workload;  ///< the top-level owner
};

/// What the controllers would create for the workloads among some objects.
struct Expansion {
  std::vector<CreatedPod> pods;
  std::vector<kube::PersistentVolumeClaim>
      claims;  ///< of StatefulSets and generic ephemeral volumes; those that exist already are left out
  std::vector<Note> notes;
};

/// The pods (and claims) that the controllers of Deployments, ReplicaSets, ReplicationControllers, StatefulSets,
/// DaemonSets, Jobs and CronJobs would create at `now`, beyond those that exist: pods among `objects` that the workload
/// controls are counted, what is missing is created, a surplus is left alone.
///
/// Order: by place in the input (file as first met, line); workloads without a known place follow, in the order of
/// kinds above. Names, suffixes and uids derive from `seed`, the owner's kind, namespace and name: equal inputs give
/// equal names. REQUIRES: defaults are set. Cost: O(pods); specs are shared, a pod costs its metadata.
Expansion expand(const kube::Objects& objects, Instant now, std::uint64_t seed);

/// The pod that the controller of `gone` creates when it is evicted, preempted or deleted: nothing for a bare pod or if
/// its controller is not among `objects` (and the pod's kind of controller is unknown). StatefulSet: the same name.
/// DaemonSet: a new pod for the same node. Job: the same index. `generation` distinguishes the n-th replacement, so
/// that names differ.
std::optional<kube::Pod> replace(const kube::Pod& gone, const kube::Objects& objects, std::uint64_t generation,
                                 std::uint64_t seed);

}  // namespace loadline::workloads

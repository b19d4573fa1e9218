#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "brain/workloads/workload.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/kueue/configuration.h"
#include "objects/kube/kueue/workload.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// Pods that are one workload of Kueue's.
struct PodBundle {
  workloads::WorkloadReference name;  ///< "Pod ml/dev", "Pod group ml/train", "StatefulSet ml/db"
  std::string workload;               ///< the name of their Workload; of single pods empty: by the pod
  std::string queue;                  ///< their LocalQueue
  std::size_t expected = 1;           ///< pods; with fewer they do not wait for quota yet
  std::string priority_class = {};    ///< a WorkloadPriorityClass, of the object above; empty: as the pods say
  bool has_leader = false;            ///< of a LeaderWorkerSet whose leader is a pod set of its own
};

/// Which pods Kueue's queues decide about without a job that could be held: single pods, those of Deployments among
/// them; pods of one group, by its label; all pods of a StatefulSet; those of a group of a LeaderWorkerSet. They are
/// created with a scheduling gate. Source: Kueue v0.19.2, pkg/controller/jobs/{pod,deployment,statefulset,
/// leaderworkerset}.
class QueuedPods {
 public:
  /// O(workloads).
  explicit QueuedPods(const kube::Objects& objects);

  /// Nothing: the pod names no queue, nor does what it belongs to. REQUIRES: no job above it is managed.
  [[nodiscard]] std::optional<PodBundle> bundle_of(const kube::Pod& pod, const workloads::WorkloadReference& top) const;
  /// The Workload of all pods of the bundle, without its priority.
  [[nodiscard]] static kube::KueueWorkload workload_of(const PodBundle& bundle, std::span<const kube::Pod* const> pods);
  /// The pod set that the pod belongs to.
  [[nodiscard]] static std::string pod_set_of(const PodBundle& bundle, const kube::Pod& pod);

 private:
  struct Owner {
    std::string queue;
    std::size_t pods = 0;  // that are one workload together
    std::string uid;
    std::string priority_class;
    bool has_leader = false;
  };
  [[nodiscard]] bool holds(std::string_view framework) const;

  const kube::KueueConfiguration* configuration_ = nullptr;  // null: Kueue holds all kinds that it knows
  std::map<workloads::WorkloadReference, Owner> owners_;
};

}  // namespace loadline::simulator

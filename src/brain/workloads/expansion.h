#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "brain/workloads/creation_order.h"
#include "brain/workloads/gates.h"
#include "brain/workloads/workload.h"
#include "foundation/base/time.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/objects.h"

namespace loadline::workloads {

/// Something a person should know about how a workload was expanded, for example that it is suspended.
struct Note {
  WorkloadReference workload;
  std::string message;  ///< no trailing period
};

struct CreatedPod {
  kube::Pod pod;               ///< without uid and creationTimestamp: nothing has created it yet
  WorkloadReference workload;  ///< the top-level owner
  /// What has to run before it is created; null: it is created at once. Pods that wait for the same share it.
  std::shared_ptr<const CreationOrder> order = nullptr;
};

/// What the controllers would create for the workloads among some objects.
struct Expansion {
  std::vector<CreatedPod> pods;
  /// Objects that select `pods`, and that controllers make on the way: ReplicaSets, StatefulSets, Services. Those that
  /// are among the objects already are left out. With the gate WorkloadWithJob also Workloads and PodGroups of Jobs.
  kube::Objects made;
  /// Groups among the objects whose minimums are no longer what their workload asks for, as its controller will have
  /// them.
  kube::Objects revised;
  /// Of StatefulSets, and of generic ephemeral volumes of `pods`; those that exist already are left out.
  std::vector<kube::PersistentVolumeClaim> claims;
  std::vector<Note> notes;
};

/// The pods (and claims) that the controllers of Deployments, ReplicaSets, ReplicationControllers, StatefulSets,
/// DaemonSets, Jobs, CronJobs, and of Kubeflow and KubeRay would create at `now`, beyond those that exist: pods among
/// `objects` that a workload controls are counted, what is missing is created, a surplus is left alone. Workloads that
/// are being deleted create nothing.
///
/// Order: by place in the input (file name, line, column); workloads without a place follow, by kind in the order
/// above. Within a workload: by ordinal, index or node. Names and uids derive from `seed` and the owner: equal inputs
/// give equal names. REQUIRES: defaults are set. Cost: O(pods); replicas share their template's spec (each pod of a
/// DaemonSet, and each of a StatefulSet with claims, has its own), so a pod costs its metadata.
Expansion expand(const kube::Objects& objects, Instant now, std::uint64_t seed, const Gates& gates = {});

}  // namespace loadline::workloads

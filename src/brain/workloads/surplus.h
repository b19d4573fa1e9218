#pragma once

#include <vector>

#include "objects/kube/core/pod.h"
#include "objects/kube/objects.h"

namespace loadline::workloads {

/// The pods that controllers would delete: replicas beyond what is wanted, pods of a suspended Job, RayCluster or
/// RayJob, daemon pods on nodes that are gone or that their DaemonSet no longer selects. The counterpart of expand();
/// together they bring the pods to what the objects say. Pods that have finished or are being deleted, and those of
/// workloads that are being deleted, are not among them. Pointers into `objects`, in its order.
///
/// Of replicas, those go first that have no node, then those of the lowest controller.kubernetes.io/pod-deletion-cost,
/// then those whose node holds most of their siblings, then the youngest (of equal age, the later in `objects`).
/// StatefulSets give up the highest ordinals, LeaderWorkerSets their last groups, PyTorchJobs, PaddleJobs and JAXJobs
/// the highest indexes. Source: pkg/controller/controller_utils.go (ActivePodsWithRanks),
/// pkg/controller/{replicaset,statefulset,job,daemon}, v1.36; upstream also looks at readiness and restarts first, and
/// compares ages by their logarithm.
std::vector<const kube::Pod*> surplus(const kube::Objects& objects);

}  // namespace loadline::workloads

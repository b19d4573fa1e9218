#pragma once

#include "brain/workloads/pod_draft.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/core/service.h"

namespace loadline::workloads {

// The pods of a ReplicaSet or a ReplicationController: so many alike, `<controller>-<5 characters>`. Pods that have
// finished or are being deleted do not count. Those that go first: deletion_order.h.
// Source: pkg/controller/replicaset, v1.36.

/// What all pods of the controller get.
[[nodiscard]] PodDraft shared_draft(const kube::ReplicaSet& set);
[[nodiscard]] PodDraft shared_draft(const kube::ReplicationController& controller);

}  // namespace loadline::workloads

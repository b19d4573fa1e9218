#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::controllers {

/// Keeps one pod of a DaemonSet on every node that it selects and whose taints it tolerates.
///
/// - The history first, as for StatefulSets; pods say their revision in the label controller-revision-hash.
/// - Nodes without a pod get one, pinned by its affinity to the node's name; nodes with too many lose the younger; pods
///   that failed or succeeded are replaced, failed ones after 1 s, 2 s, … 15 min; pods on nodes that are not wanted any
///   more go. At most 250 pods at a time.
/// - When nothing of that is to be done, a step of a rolling update (daemon_rollout.h). OnDelete: none.
///
/// Two revisions of the same template, as very old clusters have them, are not merged: the newer counts.
/// Cost: O(nodes + pods). Source: pkg/controller/daemon, v1.36.
std::unique_ptr<Controller> make_daemon_set_controller();

}  // namespace loadline::controllers

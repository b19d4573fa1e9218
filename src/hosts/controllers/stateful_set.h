#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::controllers {

/// Keeps pods with names, and claims that stay with the names, for a StatefulSet.
///
/// - The history first: a ControllerRevision for the template, if it is new; an older one that has it becomes the
///   newest. Pods below the partition are made of the current revision, the others of the newest.
/// - OrderedReady: one pod at a time, each when all before it are available; pods go from the highest ordinal down.
///   Parallel: all at once. Pods that have finished are replaced.
/// - Claims are made before their pod, and owned as persistentVolumeClaimRetentionPolicy says.
/// - RollingUpdate: when all that should be there is there, the highest pod of another revision goes, and as many more
///   as maxUnavailable lets; without it, the next goes when the last is available. OnDelete: none.
/// - The history keeps what pods have and revisionHistoryLimit more.
///
/// Upstream follows maxUnavailable behind a feature gate that is off by default; here it counts where it is set.
/// Cost: O(pods + orphans of the namespace). Source: pkg/controller/statefulset, v1.36.
std::unique_ptr<Controller> make_stateful_set_controller();

}  // namespace loadline::controllers

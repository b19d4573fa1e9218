#pragma once

#include <memory>

#include "hosts/controllers/controller.h"

namespace loadline::controllers {

/// Keeps as many pods of a template as a ReplicaSet wants.
///
/// - Adopts pods that it selects and that have no controller, releases those that it does not select any more.
/// - Creates what is missing, at most 500 at a time, in steps of 1, 2, 4, …; deletes what is too much, those first that
///   would be missed least (deletion_order.h).
/// - Reports how many pods there are, fully labelled, ready, available and terminating; a create or delete that fails
///   becomes the condition ReplicaFailure.
///
/// Cost: O(orphans of the namespace) while nothing but numbers matters; O(pods that it controls) where pods are chosen
/// to be deleted, adopted or let go, or minReadySeconds is set. Source: pkg/controller/replicaset, v1.36.
std::unique_ptr<Controller> make_replica_set_controller();

/// The same for ReplicationControllers, which do not report terminating pods.
std::unique_ptr<Controller> make_replication_controller();

}  // namespace loadline::controllers

#pragma once

#include <memory>

#include "foundation/base/time.h"
#include "hosts/controllers/controller.h"

namespace loadline::controllers {

struct NodeLifecycleOptions {
  Duration monitor_grace = Duration::seconds(50);  ///< without a heartbeat before a node counts as lost
  Duration startup_grace = Duration::seconds(60);  ///< the same, before its first status
};

/// Watches whether nodes are alive, by their status and their Leases: the conditions of a node that has been silent for
/// too long become Unknown, and its pods not ready. Keeps the taints that follow from a node's conditions: NoSchedule
/// for pressure, cordons and nodes that are not ready; NoExecute for the latter as fast as its zone allows (NodeZones).
///
/// Keys are nodes. The times of the last heartbeats are remembered; after a restart every node gets a full grace
/// period. While all goes well, a node is looked at once in a grace period.
/// Source: pkg/controller/nodelifecycle, v1.36; that one looks at all nodes every 5 seconds.
std::unique_ptr<Controller> make_node_lifecycle(NodeLifecycleOptions options);

}  // namespace loadline::controllers

#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "foundation/base/time.h"
#include "hosts/controllers/controller.h"
#include "hosts/kubelet/machine.h"

namespace loadline::kubelet {

struct NodeStatusOptions {
  Claim claim = Claim::kAnnotated;
  Duration lease_period = Duration::seconds(10);    ///< between two renewals of a node's Lease; 1 s at least
  Duration status_period = Duration::seconds(300);  ///< between two reports of a status that does not change
  /// Counts instead of lease_period, if it is there. Its maker may change it, from any thread; the duration that Leases
  /// state and the time between reports of a status change in proportion.
  std::shared_ptr<const std::atomic<Duration>> changing_lease_period = {};
  std::string kubelet_version = "v1.36.2";
};

/// The virtual kubelet, as far as nodes are concerned: says that virtual nodes are ready, what they have and where they
/// are; renews their Leases in kube-node-lease; shows what device plugins offer; and carries out what annotations say
/// of the machine: one that is down says nothing more, one that is interrupted is tainted, and gone after its notice.
///
/// Keys are nodes. Renewals are spread over the period by the nodes' names, and cost one small patch each.
/// Source: pkg/kubelet/kubelet_node_status.go, pkg/kubelet/nodestatus and nodelease, v1.36.
std::unique_ptr<controllers::Controller> make_node_status(NodeStatusOptions options);

}  // namespace loadline::kubelet

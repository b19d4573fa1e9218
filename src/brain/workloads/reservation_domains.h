#pragma once

#include <string>
#include <vector>

#include "brain/cluster/cluster.h"
#include "foundation/base/result.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/loadline/reservation.h"

namespace loadline::workloads {

/// Room that a reservation holds in one domain, or wherever its template allows.
struct DomainRoom {
  std::string domain;     ///< the value of the label; empty: room is not held by domain
  kube::Pod placeholder;  ///< but for its name; kept to the nodes of the domain
  std::size_t pods = 0;   ///< so many are held room for, those that were consumed among them
};

/// What the reservation holds: one DomainRoom, or, if it holds room per domain, one for each value that the label has
/// on nodes to which the placeholder's node selector and required affinity let it go. By domain in order of its name,
/// so domains come and go with nodes. Errors: no node has the label; more than 100,000 pods. O(nodes · log nodes).
Result<std::vector<DomainRoom>> rooms_of(const kube::Reservation& reservation, const kube::Pod& placeholder,
                                         cluster::Cluster& cluster);

/// The domain of the node; empty: room is not held by domain, or the node is in none.
std::string domain_of(const kube::Reservation& reservation, cluster::NodeId node, const cluster::Cluster& cluster);

}  // namespace loadline::workloads

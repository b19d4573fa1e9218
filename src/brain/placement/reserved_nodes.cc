#include "brain/placement/reserved_nodes.h"

#include <algorithm>
#include <vector>

namespace loadline::placement {

using cluster::NodeId;
using cluster::PodId;

namespace {

const std::vector<cluster::ReservationId>& reservations_for(const cluster::Cluster& cluster, PodId pod) {
  static const auto& none = *new std::vector<cluster::ReservationId>;
  const cluster::PodRecord& record = cluster.pod(pod);
  const bool may_consume = !cluster.reservations().empty() && !record.reservation.valid();
  return may_consume ? cluster.matching_reservations(record.shape) : none;
}

}  // namespace

ReservedNode first_reserved_node(const cluster::Cluster& cluster, PodId pod,
                                 const std::function<bool(ReservedNode)>& fits) {
  std::vector<bool> is_tried;  // by node
  for (const cluster::ReservationId id : reservations_for(cluster, pod)) {
    for (const PodId placeholder : cluster.reservations().at(id).placeholders) {
      const NodeId node = cluster.pod(placeholder).node;
      if (!node.valid() || (!is_tried.empty() && is_tried[node.index()])) continue;
      if (fits({node, placeholder})) return {node, placeholder};
      is_tried.resize(cluster.node_slots());
      is_tried[node.index()] = true;
    }
  }
  return {};
}

PodId waiting_placeholder(const cluster::Cluster& cluster, PodId pod) {
  for (const cluster::ReservationId id : reservations_for(cluster, pod)) {
    const std::vector<PodId>& placeholders = cluster.reservations().at(id).placeholders;
    const auto waiting =
        std::ranges::find_if(placeholders, [&](PodId each) { return !cluster.pod(each).node.valid(); });
    if (waiting != placeholders.end()) return *waiting;
  }
  return {};
}

}  // namespace loadline::placement

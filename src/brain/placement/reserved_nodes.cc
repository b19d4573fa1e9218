#include "brain/placement/reserved_nodes.h"

#include <algorithm>
#include <vector>

namespace loadline::placement {

using cluster::NodeId;
using cluster::PodId;

namespace {

/// A placeholder that starts with the group of its Workload takes the room that the queue holds for that.
bool is_of_workload_room(const cluster::Cluster& cluster, cluster::ReservationId id) {
  return cluster.reservations().at(id).rule.workload.valid();
}

const std::vector<cluster::ReservationId>& reservations_for(const cluster::Cluster& cluster, PodId pod) {
  static const auto& none = *new std::vector<cluster::ReservationId>;
  const cluster::PodRecord& record = cluster.pod(pod);
  const bool is_room = record.reservation.valid();
  const bool is_of_workload = is_room && record.workload.valid() && !is_of_workload_room(cluster, record.reservation);
  const bool may_consume = !cluster.reservations().empty() && (!is_room || is_of_workload);
  return may_consume ? cluster.matching_reservations(record.shape) : none;
}

/// Whether the pod completes a group that was whole and has lost members.
bool is_replacement(const cluster::Cluster& cluster, PodId pod) {
  const cluster::GroupId group = cluster.pod(pod).group;
  return group.valid() && cluster.group(group).has_started && cluster.group(group).is_partly_placed();
}

/// The domains in which members of the pod's group are on nodes, sorted.
std::vector<Symbol> domains_of_group(const cluster::Cluster& cluster, PodId pod, Symbol label) {
  std::vector<Symbol> domains;
  const cluster::GroupId group = cluster.pod(pod).group;
  if (!group.valid()) return domains;
  for (const PodId member : cluster.group(group).members) {
    const cluster::PodRecord& record = cluster.pod(member);
    if (!record.node.valid() || record.terminating) continue;
    const Symbol domain = cluster.facts(record.node).labels.find(label);
    if (domain.valid()) domains.push_back(domain);
  }
  std::ranges::sort(domains);
  const auto [first, last] = std::ranges::unique(domains);
  domains.erase(first, last);
  return domains;
}

/// Where the pod may consume room of a reservation, whose rule it matches.
class Permission {
 public:
  Permission(const cluster::Cluster& cluster, PodId pod, const cluster::ReservationRule& rule)
      : cluster_(cluster), label_(rule.domain_label) {
    const bool is_for_replacements = rule.reserved_for == cluster::ReservedFor::kReplacements;
    const cluster::PodRecord& record = cluster.pod(pod);
    const bool is_its_workload = rule.workload.valid() ? rule.workload == record.workload : !record.reservation.valid();
    is_granted_ = is_its_workload && (!is_for_replacements || is_replacement(cluster, pod));
    is_bound_to_domains_ = is_granted_ && is_for_replacements && label_.valid();
    if (is_bound_to_domains_) domains_ = domains_of_group(cluster, pod, label_);
  }

  [[nodiscard]] bool is_granted() const { return is_granted_; }
  [[nodiscard]] bool covers(NodeId node) const {
    return !is_bound_to_domains_ || std::ranges::binary_search(domains_, cluster_.facts(node).labels.find(label_));
  }

 private:
  const cluster::Cluster& cluster_;
  Symbol label_;
  bool is_granted_ = false;
  bool is_bound_to_domains_ = false;
  std::vector<Symbol> domains_;
};

}  // namespace

ReservedNode first_reserved_node(const cluster::Cluster& cluster, PodId pod,
                                 const std::function<bool(ReservedNode)>& fits) {
  std::vector<bool> is_tried;  // by node
  for (const cluster::ReservationId id : reservations_for(cluster, pod)) {
    const cluster::Reservation& reservation = cluster.reservations().at(id);
    const Permission permission(cluster, pod, reservation.rule);
    if (!permission.is_granted()) continue;
    for (const PodId placeholder : reservation.placeholders) {
      const NodeId node = cluster.pod(placeholder).node;
      if (!node.valid() || (!is_tried.empty() && is_tried[node.index()])) continue;
      if (!permission.covers(node)) continue;
      if (fits({node, placeholder})) return {node, placeholder};
      is_tried.resize(cluster.node_slots());
      is_tried[node.index()] = true;
    }
  }
  return {};
}

bool may_use_reserved_room(const cluster::Cluster& cluster, PodId pod) {
  return std::ranges::any_of(reservations_for(cluster, pod), [&](cluster::ReservationId id) {
    const cluster::Reservation& reservation = cluster.reservations().at(id);
    return !reservation.placeholders.empty() && Permission(cluster, pod, reservation.rule).is_granted();
  });
}

PodId waiting_placeholder(const cluster::Cluster& cluster, PodId pod) {
  for (const cluster::ReservationId id : reservations_for(cluster, pod)) {
    const cluster::Reservation& reservation = cluster.reservations().at(id);
    if (reservation.rule.is_refilled || !Permission(cluster, pod, reservation.rule).is_granted()) continue;
    const std::vector<PodId>& placeholders = reservation.placeholders;
    // One that starts with its group does not wait by itself: pods that come stand for it before they have a turn.
    const auto waiting = std::ranges::find_if(
        placeholders, [&](PodId each) { return !cluster.pod(each).node.valid() && !cluster.pod(each).group.valid(); });
    if (waiting != placeholders.end()) return *waiting;
  }
  return {};
}

}  // namespace loadline::placement

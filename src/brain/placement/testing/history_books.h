#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/scheduler.h"

namespace loadline::placement::testing {

struct AskedRoom {
  std::string app;  // that it is for
  bool is_refilled = false;
};

/// What an API server would hold: all that a history leaves.
struct Objects {
  std::map<std::string, kube::StringMap> namespaces;
  std::map<std::string, kube::Service> services;
  std::map<std::string, std::string> replica_sets;  // in "default": name, and the app it selects
  std::map<std::string, kube::PodDisruptionBudget> budgets;
  std::map<cluster::PodId, kube::Pod> pods;
  std::map<std::string, AskedRoom> reservations;
  std::map<cluster::PodId, kube::Pod> placeholders;
};

inline kube::ObjectMeta metadata_of(const std::string& name) {
  kube::ObjectMeta metadata;
  metadata.name = name;
  metadata.namespace_ = "default";
  return metadata;
}

inline void set_replica_set(cluster::Cluster& cluster, const std::string& name, const std::string& app) {
  const auto selector = cluster::PodSelector::of_labels({{"app", app}}, cluster.symbols());
  cluster.set_controller("ReplicaSet", metadata_of(name), selector);
}

inline cluster::Reservation reservation_for(const std::string& name, const AskedRoom& asked, SymbolTable& symbols) {
  cluster::Reservation reservation;
  reservation.name = name;
  reservation.rule.selector = cluster::PodSelector::of_labels({{"app", asked.app}}, symbols);
  reservation.rule.is_refilled = asked.is_refilled;
  return reservation;
}

/// Makes the reservations of the other cluster, with placeholders that have no place yet. Returns these by the other's.
inline std::map<cluster::PodId, cluster::PodId> fill_reservations(cluster::Cluster& fresh,
                                                                  const cluster::Cluster& lived,
                                                                  const Objects& objects) {
  std::map<cluster::PodId, cluster::PodId> placeholders;
  for (const cluster::ReservationId id : lived.reservations().all()) {
    const cluster::Reservation& known = lived.reservations().at(id);
    const cluster::ReservationId made =
        fresh.add_reservation(reservation_for(known.name, objects.reservations.at(known.name), fresh.symbols()));
    fresh.set_consumed(made, known.consumed);
    for (const cluster::PodId each : known.placeholders) {
      placeholders[each] = fresh.add_placeholder(made, objects.placeholders.at(each));
    }
  }
  return placeholders;
}

/// A cluster filled with what is in another now, oldest first.
inline void fill(cluster::Cluster& fresh, const cluster::Cluster& lived, const Objects& objects) {
  for (const auto& [name, labels] : objects.namespaces) fresh.set_namespace(name, labels);
  for (const cluster::NodeId node : lived.nodes()) fresh.add_node(lived.node_object(node));
  for (const auto& [name, service] : objects.services) fresh.set_service(service);
  for (const auto& [name, app] : objects.replica_sets) set_replica_set(fresh, name, app);
  for (const auto& [name, budget] : objects.budgets) fresh.set_budget(budget, budget.disruptions_allowed.value_or(0));
  const std::map<cluster::PodId, cluster::PodId> placeholders = fill_reservations(fresh, lived, objects);
  std::vector<cluster::PodId> pods;
  for (const cluster::NodeId node : lived.nodes()) {
    pods.insert(pods.end(), lived.pods_on(node).begin(), lived.pods_on(node).end());
  }
  for (const cluster::PodId pod : pods) {
    const cluster::NodeId node = fresh.find_node(lived.node_name(lived.pod(pod).node));
    if (const auto placeholder = placeholders.find(pod); placeholder != placeholders.end()) {
      fresh.place(placeholder->second, node);
      continue;
    }
    const kube::Pod& object = objects.pods.at(pod);
    if (object.spec->node_name.empty()) {
      fresh.place(fresh.add_pod(object), node);
    } else {
      fresh.add_pod(object, node);
    }
  }
  for (const cluster::NodeId node : lived.nodes()) {
    for (const cluster::PodId pod : lived.nominated_to(node)) {
      fresh.nominate(fresh.add_pod(objects.pods.at(pod)), fresh.find_node(lived.node_name(node)));
    }
  }
}

/// Books of a node by names, which ids do not show in.
inline std::string books_of(const cluster::Cluster& cluster, cluster::NodeId node) {
  std::string text = std::string(cluster.node_name(node)) + ':';
  std::set<std::string> amounts;
  for (std::size_t i = 0; i < cluster.resources().size(); ++i) {
    const cluster::ResourceId resource{i};
    const std::string name(cluster.resources().name(resource));
    const std::int64_t requested = cluster.requested(node, resource);
    const std::int64_t offered = cluster.allocatable(node, resource);
    if (requested != 0 || offered != 0) {
      amounts.insert(' ' + name + ' ' + std::to_string(requested) + '/' + std::to_string(offered));
    }
  }
  for (const std::string& amount : amounts) text += amount;
  text += " nonzero " + std::to_string(cluster.nonzero_cpu(node)) + ' ' + std::to_string(cluster.nonzero_memory(node));
  text += cluster.has_host_ports(node) ? " ports" : "";
  for (const cluster::PodId pod : cluster.pods_on(node)) text += ' ' + cluster.pod_text(pod);
  for (const cluster::PodId pod : cluster.nominated_to(node)) text += " nominated " + cluster.pod_text(pod);
  for (const Symbol image : cluster.facts(node).images) {
    const cluster::ImageState& state = *cluster.image(image);
    text += " image " + std::to_string(state.bytes) + " on " + std::to_string(state.nodes);
  }
  return text;
}

/// Books of the reservations by names, the oldest first.
inline std::string books_of_reservations(const cluster::Cluster& cluster) {
  std::string text;
  for (const cluster::ReservationId id : cluster.reservations().all()) {
    const cluster::Reservation& reservation = cluster.reservations().at(id);
    text += reservation.text() + " consumed " + std::to_string(reservation.consumed);
    for (const cluster::PodId each : reservation.placeholders) {
      const cluster::NodeId node = cluster.pod(each).node;
      text += ' ' + cluster.pod_name(each) + '@' + (node.valid() ? std::string(cluster.node_name(node)) : "none");
    }
    text += '\n';
  }
  return text;
}

/// Whether the pod has claims of its own, which come and go with it.
inline bool has_own_claims(const kube::Pod& pod) {
  return std::ranges::any_of(pod.spec->volumes,
                             [](const kube::Volume& volume) { return volume.ephemeral_claim.has_value(); });
}

/// A decision by names.
inline std::string text_of(const cluster::Cluster& cluster, const Decision& decision) {
  std::string text = placement::text(decision);
  if (decision.attempt.scheduled()) text += "to " + std::string(cluster.node_name(decision.attempt.node));
  if (const cluster::PodId room = decision.attempt.consumes; room.valid()) text += " for " + cluster.pod_name(room);
  if (const Candidate* chosen = decision.preemption.chosen()) {
    text += " preempting on " + std::string(cluster.node_name(chosen->node));
    for (const cluster::PodId victim : chosen->victims) text += ' ' + cluster.pod_text(victim);
  }
  return text;
}

}  // namespace loadline::placement::testing

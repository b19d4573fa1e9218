#include "hosts/simulator/bound_pods.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "brain/cluster/facts/kubelet_rejection.h"
#include "foundation/base/closest.h"
#include "objects/kube/core/node.h"

namespace loadline::simulator {
namespace {

kube::ResourceList requested_on(const kube::Node& node, cluster::NodeId id, const cluster::Cluster& cluster) {
  kube::ResourceList requested;
  for (const auto& [name, allocatable] : node.allocatable) {
    const cluster::ResourceId resource = cluster.resources().find(name);
    if (!resource.valid()) continue;
    const std::int64_t amount = cluster.requested(id, resource);
    requested[name] =
        resource == cluster::kCpu ? kube::Quantity::of_milli(amount) : kube::Quantity::of(amount, allocatable.format());
  }
  return requested;
}

std::string no_such_node(const std::string& name, const kube::Objects& objects) {
  std::vector<std::string_view> names;
  for (const kube::Node& node : objects.of<kube::Node>()) names.push_back(node.metadata.name);
  const std::string_view nearest = closest(name, names);
  return fmt::format("names node \"{}\" in spec.nodeName, which is not in the input{}; Kubernetes deletes such pods",
                     name, nearest.empty() ? std::string() : fmt::format(" (did you mean {}?)", nearest));
}

}  // namespace

bool is_bound_by_its_author(const kube::Pod& pod) {
  const bool has_begun = pod.status.start_time || pod.status.phase != kube::PodPhase::kPending;
  return !pod.spec->node_name.empty() && !pod.metadata.from_cluster() && !has_begun;
}

bool is_pending_on_its_node(const kube::Pod& pod) {
  return pod.status.phase == kube::PodPhase::kPending && !pod.spec->node_name.empty() && !is_bound_by_its_author(pod);
}

std::optional<std::string> refused_by_kubelet(const kube::Pod& pod, const kube::Objects& objects,
                                              const cluster::Cluster& cluster, const SimulatedPods& pods) {
  const cluster::NodeId id = cluster.find_node(pod.spec->node_name);
  if (!id.valid()) return no_such_node(pod.spec->node_name, objects);
  // Nodes have the ids of their places in the input.
  kube::Node node = objects.of<kube::Node>()[id.index()];
  node.taints.clear();
  const kube::ResourceList requested = requested_on(node, id, cluster);
  cluster::NodeUse use{requested, cluster.pods_on(id).size()};
  if (!cluster::host_ports(*pod.spec).empty()) {
    for (const cluster::PodId other : cluster.pods_on(id)) use.ports.merge(cluster::host_ports(*pods.at(other).spec));
  }
  const std::optional<cluster::KubeletRejection> rejection = cluster::kubelet_rejection(pod, node, use);
  if (!rejection) return std::nullopt;
  return fmt::format("{}: Pod was rejected: {}", rejection->reason, rejection->message);
}

}  // namespace loadline::simulator

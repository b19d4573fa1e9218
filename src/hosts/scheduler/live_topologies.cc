#include "hosts/scheduler/live_topologies.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/facts/topology_objects.h"
#include "hosts/watching/caches.h"

namespace loadline::scheduler {

using watching::Change;
using watching::Keys;

namespace {

/// The topology of that name, of the last of the kinds that has one, if any has.
template <class... Kinds>
bool renew(const watching::Caches& caches, cluster::Cluster& cluster, const std::string& name) {
  std::optional<cluster::TopologySpec> spec;
  const auto look_at = [&]<class Kind>() {
    if (const auto object = caches.of<Kind>().find("", name)) spec = cluster::topology_of(object->view);
  };
  (look_at.template operator()<Kinds>(), ...);
  return spec ? cluster.set_topology(name, *std::move(spec)) : cluster.remove_topology(name);
}

bool renew_hyper_nodes(const watching::Caches& caches, cluster::Cluster& cluster) {
  std::vector<const kube::HyperNode*> all;
  for (const auto& [name_space, named] : caches.of<kube::HyperNode>().namespaces()) {
    for (const auto& [name, object] : named) all.push_back(&object->view);
  }
  if (all.empty()) return cluster.remove_topology(cluster::kHyperNodeTopology);
  return cluster.set_topology(cluster::kHyperNodeTopology, cluster::topology_of(all, cluster.symbols()));
}

}  // namespace

void follow_topologies(watching::Subscriptions& subscriptions, cluster::Cluster& cluster,
                       std::function<void()> changed) {
  watching::Caches& caches = subscriptions.caches();
  const auto tell = std::make_shared<std::function<void()>>(std::move(changed));
  const auto follow = [&]<class Kind>() {
    subscriptions.on<Kind>([&caches, &cluster, tell](const Change<Kind>& change, Keys&) {
      const bool is_different = renew<kube::KueueTopology, kube::KaiTopology, kube::ClusterTopologyBinding>(
          caches, cluster, change.last().metadata().name);
      if (is_different) (*tell)();
    });
  };
  follow.operator()<kube::KueueTopology>();
  follow.operator()<kube::KaiTopology>();
  follow.operator()<kube::ClusterTopologyBinding>();
  subscriptions.on<kube::HyperNode>([&caches, &cluster, tell](const Change<kube::HyperNode>&, Keys&) {
    if (renew_hyper_nodes(caches, cluster)) (*tell)();
  });
}

}  // namespace loadline::scheduler

#include "hosts/control/scheduling/live_topologies.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/topology_objects.h"
#include "hosts/controllers/caches.h"

namespace loadline::control {

using controllers::Change;
using controllers::Keys;

namespace {

/// A topology that goes leaves its name to one of another kind.
template <class... Kinds>
bool renew(const controllers::Caches& caches, cluster::Cluster& cluster, const std::string& name) {
  bool is_there = false;
  bool is_different = false;
  const auto take = [&]<class Kind>() {
    const auto object = caches.of<Kind>().find("", name);
    if (object == nullptr) return;
    is_there = true;
    is_different = cluster.set_topology(name, cluster::topology_of(object->view));
  };
  (take.template operator()<Kinds>(), ...);
  return is_there ? is_different : cluster.remove_topology(name);
}

bool renew_hyper_nodes(const controllers::Caches& caches, cluster::Cluster& cluster) {
  std::vector<const kube::HyperNode*> all;
  for (const auto& [name_space, named] : caches.of<kube::HyperNode>().namespaces()) {
    for (const auto& [name, object] : named) all.push_back(&object->view);
  }
  if (all.empty()) return cluster.remove_topology(cluster::kHyperNodeTopology);
  return cluster.set_topology(cluster::kHyperNodeTopology, cluster::topology_of(all, cluster.symbols()));
}

}  // namespace

void follow_topologies(controllers::Subscriptions& subscriptions, cluster::Cluster& cluster,
                       std::function<void()> changed) {
  controllers::Caches& caches = subscriptions.caches();
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

}  // namespace loadline::control

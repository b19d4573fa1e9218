#include "hosts/kubelet/pod_admission.h"

#include <utility>

#include "objects/kube/pod_resources.h"

namespace loadline::kubelet {
namespace {

using kube::ResourceList;
using watching::Observed;

ResourceList requests_of(const kube::Pod& pod) { return kube::pod_requests(*pod.spec, &pod.status, {}); }

/// The ports of the host that other pods on the node have; none if the pod wants none.
std::set<cluster::TakenPort> ports_beside(const Observed<kube::Pod>& pod, const watching::Caches& caches) {
  std::set<cluster::TakenPort> ports;
  if (cluster::host_ports(*pod.view.spec).empty()) return ports;
  for (const auto& [key, other] : caches.pods_on(pod.view.spec->node_name)) {
    const bool counts =
        other->metadata().uid != pod.metadata().uid && !other->view.finished() && other->view.status.start_time;
    if (counts) ports.merge(cluster::host_ports(*other->view.spec));
  }
  return ports;
}

}  // namespace

PodAdmission::Held& PodAdmission::held_on(const std::string& node, const watching::Caches& caches,
                                          const std::string& but_for_uid) {
  const auto [at, is_new] = nodes_.try_emplace(node);
  if (is_new) {
    for (const auto& [key, pod] : caches.pods_on(node)) {
      const bool was_taken = pod->view.status.start_time && !pod->view.finished();
      if (was_taken && pod->metadata().uid != but_for_uid) add(at->second, *pod);
    }
  }
  return at->second;
}

std::optional<cluster::KubeletRejection> PodAdmission::admit(const Observed<kube::Node>& node,
                                                             const Observed<kube::Pod>& pod,
                                                             const watching::Caches& caches) {
  Held& held = held_on(node.metadata().name, caches, pod.metadata().uid);
  const cluster::NodeUse use{held.sum, held.by_uid.size(), ports_beside(pod, caches)};
  if (auto rejection = cluster::kubelet_rejection(pod.view, node.view, use)) return rejection;
  add(held, pod);
  return std::nullopt;
}

void PodAdmission::hold(const Observed<kube::Pod>& pod, const watching::Caches& caches) {
  add(held_on(pod.view.spec->node_name, caches, pod.metadata().uid), pod);
}

void PodAdmission::resize(const Observed<kube::Pod>& pod) {
  const auto found = nodes_.find(pod.view.spec->node_name);
  if (found == nodes_.end() || !found->second.by_uid.contains(pod.metadata().uid)) return;
  release(found->first, pod.metadata().uid);
  add(found->second, pod);
}

void PodAdmission::add(Held& held, const Observed<kube::Pod>& pod) {
  const auto [at, is_new] = held.by_uid.try_emplace(pod.metadata().uid, requests_of(pod.view));
  if (is_new) kube::add_resources(held.sum, at->second);
}

void PodAdmission::release(const std::string& node, const std::string& uid) {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  const auto pod = found->second.by_uid.find(uid);
  if (pod == found->second.by_uid.end()) return;
  for (const auto& [name, quantity] : pod->second) found->second.sum[name] -= quantity;
  found->second.by_uid.erase(pod);
}

}  // namespace loadline::kubelet

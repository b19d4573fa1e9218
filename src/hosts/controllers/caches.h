#pragma once

#include <tuple>

#include "hosts/controllers/cache.h"
#include "hosts/controllers/kinds.h"
#include "hosts/controllers/pod_tallies.h"
#include "hosts/controllers/pods_by_node.h"

namespace loadline::controllers {

/// What is known of the cluster: one cache a kind. All controllers and the scheduler share them, so that a document is
/// read once. A cache that no informer feeds is empty.
class Caches {
 public:
  Caches() : pods_by_node_(of<kube::Pod>()), pod_tallies_(of<kube::Pod>()) {}
  Caches(const Caches&) = delete;  // listeners point at its parts
  Caches& operator=(const Caches&) = delete;

  template <class Kind>
  [[nodiscard]] Cache<Kind>& of() {
    return std::get<Cache<Kind>>(all_);
  }
  template <class Kind>
  [[nodiscard]] const Cache<Kind>& of() const {
    return std::get<Cache<Kind>>(all_);
  }

  /// The pods that are bound to the node, by namespace and name.
  [[nodiscard]] const PodsByNode::Pods& pods_on(std::string_view node) const { return pods_by_node_.on(node); }

  /// How many pods a ReplicaSet or ReplicationController controls, by their labels.
  [[nodiscard]] const PodTallies::ByLabels& pod_tallies(std::string_view controller_uid) const {
    return pod_tallies_.of(controller_uid);
  }

  /// Calls `visit` with each cache.
  template <class Visit>
  void for_each(Visit visit) {
    std::apply([&](auto&... cache) { (visit(cache), ...); }, all_);
  }

 private:
  std::tuple<Cache<kube::Pod>, Cache<kube::Node>, Cache<kube::Namespace>, Cache<kube::Service>, Cache<kube::ConfigMap>,
             Cache<kube::ReplicationController>, Cache<kube::PersistentVolume>, Cache<kube::PersistentVolumeClaim>,
             Cache<Endpoints>, Cache<kube::Deployment>, Cache<kube::ReplicaSet>, Cache<kube::StatefulSet>,
             Cache<kube::DaemonSet>, Cache<ControllerRevision>, Cache<kube::Job>, Cache<kube::CronJob>, Cache<Lease>,
             Cache<EndpointSlice>, Cache<Stage>, Cache<kube::PodDisruptionBudget>, Cache<kube::PriorityClass>,
             Cache<kube::StorageClass>, Cache<kube::CsiNode>, Cache<kube::CsiDriver>, Cache<kube::CsiStorageCapacity>,
             Cache<kube::VolumeAttachment>, Cache<VolumeAttributesClass>>
      all_;
  PodsByNode pods_by_node_;
  PodTallies pod_tallies_;
};

}  // namespace loadline::controllers

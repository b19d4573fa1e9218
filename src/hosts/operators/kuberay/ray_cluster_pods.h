#pragma once

#include <string>
#include <vector>

#include "hosts/controllers/controller.h"
#include "hosts/operators/kuberay/ray_cluster_status.h"

namespace loadline::operators {

/// What a look at a RayCluster finds to do about its pods.
struct RayPodsPlan {
  std::vector<watching::Action> deletions;
  std::vector<watching::Action> creations;
  std::vector<watching::Event> events;
  bool ends_here = false;  ///< what follows waits until the pods that are deleted are gone

  /// One head, and for each group as many workers as it should have; of a group with several hosts a replica, whole
  /// replicas. Pods that are over go, and are made anew once they are gone.
  /// Source: reconcilePods in raycluster_controller.go, kuberay v1.6.2.
  static RayPodsPlan of(const watching::Observed<kube::RayCluster>& cluster, const RayPods& pods);
};

/// The head's pod.
[[nodiscard]] document::Value ray_head_pod(const watching::Observed<kube::RayCluster>& cluster);

/// The condition of that type is true.
[[nodiscard]] bool has_ray_condition(const kube::RayCluster& cluster, std::string_view type);

}  // namespace loadline::operators

#pragma once

#include "hosts/controllers/controller.h"
#include "hosts/operators/kuberay/ray_cluster_status.h"

namespace loadline::operators {

/// A fault tolerant cluster whose head keeps its state in Redis does not end before that state is removed.
/// Whether the cluster lacks the finalizer that sees to it.
[[nodiscard]] bool lacks_redis_finalizer(const watching::Observed<kube::RayCluster>& cluster);
/// Adds it.
[[nodiscard]] watching::Action redis_finalizer(const watching::Observed<kube::RayCluster>& cluster);

/// What is to be done for a cluster that is being deleted and has the finalizer: its pods go, then a Job removes the
/// state; once that has ended, or has taken too long, the finalizer goes.
/// Source: rayClusterReconcile and buildRedisCleanupJob in raycluster_controller.go, kuberay v1.6.2.
[[nodiscard]] watching::Reconciliation clean_up_redis(const watching::Observed<kube::RayCluster>& cluster,
                                                      const RayPods& pods, const controllers::Context& context);

}  // namespace loadline::operators

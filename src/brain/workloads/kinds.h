#pragma once

#include <string_view>

#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/core/service.h"
#include "objects/kube/jobset/job_set.h"
#include "objects/kube/kubeflow/training_job.h"
#include "objects/kube/leaderworkerset/leader_worker_set.h"
#include "objects/kube/ray/ray_cluster.h"
#include "objects/kube/ray/ray_job.h"
#include "objects/kube/registry.h"

namespace loadline::workloads {

/// Calls `visit.operator()<Kind>()` for every kind whose objects make pods, or make objects that do:
///
///   for_each_kind([&]<class Kind>() { count += objects.of<Kind>().size(); });
///
/// A kind that is added here has to have what controller.h and pod_set.h ask of each.
template <class Visit>
void for_each_kind(Visit visit) {
  const auto visit_each = [&]<class... Kinds>() { (visit.template operator()<Kinds>(), ...); };
  visit_each.template operator()<kube::Deployment, kube::ReplicaSet, kube::ReplicationController, kube::StatefulSet,
                                 kube::DaemonSet, kube::Job, kube::CronJob, kube::JobSet, kube::LeaderWorkerSet,
                                 kube::PyTorchJob, kube::TensorFlowJob, kube::XgBoostJob, kube::PaddleJob, kube::JaxJob,
                                 kube::MpiJob, kube::RayCluster, kube::RayJob, kube::RayCronJob>();
}

/// The same for the kind of that name only; for none, if there is no such kind.
template <class Visit>
void for_kind(std::string_view name, Visit visit) {
  for_each_kind([&]<class Kind>() {
    if (kube::kind_of<Kind>().kind == name) visit.template operator()<Kind>();
  });
}

}  // namespace loadline::workloads

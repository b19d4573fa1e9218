#pragma once

#include <string_view>
#include <type_traits>

#include "brain/workloads/kind_names.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/core/service.h"
#include "objects/kube/grove/pod_clique_set.h"
#include "objects/kube/jobset/job_set.h"
#include "objects/kube/kubeflow/training_job.h"
#include "objects/kube/leaderworkerset/leader_worker_set.h"
#include "objects/kube/ray/ray_cluster.h"
#include "objects/kube/ray/ray_job.h"
#include "objects/kube/registry.h"
#include "objects/kube/volcano/volcano_job.h"

namespace loadline::workloads {

/// Calls `visit.operator()<Kind>()` for every kind whose objects make pods, or make objects that do:
///
///   for_each_kind([&]<class Kind>() { count += objects.of<Kind>().size(); });
///
/// A kind that is added here has to have what controller.h and pod_set.h ask of each.
template <class Visit>
void for_each_kind(Visit visit) {
  const auto visit_each = [&]<class... Kinds>() { (visit.template operator()<Kinds>(), ...); };
  visit_each.template
  operator()<kube::Deployment, kube::ReplicaSet, kube::ReplicationController, kube::StatefulSet, kube::DaemonSet,
             kube::Job, kube::CronJob, kube::JobSet, kube::LeaderWorkerSet, kube::PyTorchJob, kube::TensorFlowJob,
             kube::XgBoostJob, kube::PaddleJob, kube::JaxJob, kube::MpiJob, kube::RayCluster, kube::RayJob,
             kube::RayCronJob, kube::VolcanoJob, kube::PodCliqueSet, kube::PodCliqueScalingGroup, kube::PodClique>();
}

/// The kind as workloads of it are told: its name, but for Volcano's Job.
template <class Kind>
[[nodiscard]] std::string_view kind_name() {
  return std::is_same_v<Kind, kube::VolcanoJob> ? kVolcanoJob : kube::kind_of<Kind>().kind;
}

/// The same for the kind of that name only; for none, if there is no such kind.
template <class Visit>
void for_kind(std::string_view name, Visit visit) {
  for_each_kind([&]<class Kind>() {
    if (kind_name<Kind>() == name) visit.template operator()<Kind>();
  });
}

}  // namespace loadline::workloads

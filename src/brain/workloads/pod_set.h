#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "brain/workloads/training_job.h"
#include "brain/workloads/workload.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/service.h"
#include "objects/kube/grove/pod_clique_set.h"
#include "objects/kube/jobset/job_set.h"
#include "objects/kube/leaderworkerset/leader_worker_set.h"
#include "objects/kube/ray/ray_cluster.h"
#include "objects/kube/ray/ray_job.h"
#include "objects/kube/volcano/volcano_job.h"

namespace loadline::workloads {

/// Pods that a workload makes of one template, however deep its children make them.
struct PodSet {
  const kube::PodTemplateSpec* pod_template = nullptr;
  std::string path;                       ///< of the template in its object: "spec.template"
  std::int64_t count = 0;                 ///< how many run at once when nothing holds the workload back
  bool is_per_node = false;               ///< as many as there are nodes that want one, and `count` is 0
  std::string role = {};                  ///< "worker", as role_of tells it of a pod; empty: the pods are all of one
  std::string_view spec_field = ".spec";  ///< where below `path` the pods' spec is
  std::string_view metadata_field = ".metadata";  ///< and their labels and annotations
};
using PodSets = std::vector<PodSet>;

[[nodiscard]] PodSets pod_sets(const kube::Deployment& deployment);
[[nodiscard]] PodSets pod_sets(const kube::ReplicaSet& set);
[[nodiscard]] PodSets pod_sets(const kube::ReplicationController& controller);
[[nodiscard]] PodSets pod_sets(const kube::StatefulSet& set);
[[nodiscard]] PodSets pod_sets(const kube::DaemonSet& set);
[[nodiscard]] PodSets pod_sets(const kube::Job& job);
[[nodiscard]] PodSets pod_sets(const kube::CronJob& cron_job);

[[nodiscard]] PodSets pod_sets(const kube::JobSet& set);
[[nodiscard]] PodSets pod_sets(const kube::LeaderWorkerSet& set);
[[nodiscard]] PodSets pod_sets(const TrainingView& job);
template <kube::Framework kFramework>
[[nodiscard]] PodSets pod_sets(const kube::TrainingJob<kFramework>& job) {
  return pod_sets(TrainingView(job));
}

[[nodiscard]] PodSets pod_sets(const kube::RayCluster& cluster);
[[nodiscard]] PodSets pod_sets(const kube::RayJob& job);
[[nodiscard]] PodSets pod_sets(const kube::RayCronJob& cron_job);

[[nodiscard]] PodSets pod_sets(const kube::VolcanoJob& job);
[[nodiscard]] PodSets pod_sets(const kube::PodCliqueSet& set);
[[nodiscard]] PodSets pod_sets(const kube::PodCliqueScalingGroup& group);
[[nodiscard]] PodSets pod_sets(const kube::PodClique& clique);

/// Which of the pod sets of its workload the pod belongs to; empty: they are all of one.
[[nodiscard]] std::string role_of(const WorkloadReference& workload, const kube::ObjectMeta& pod);

/// The templates of a role in an object that is to be changed.
template <class Kind>
[[nodiscard]] std::vector<kube::PodTemplateSpec*> templates_of(Kind& object, std::string_view role) {
  std::vector<kube::PodTemplateSpec*> templates;
  for (const PodSet& set : pod_sets(object)) {
    // They are parts of the object, which is ours to change.
    if (set.role == role) templates.push_back(const_cast<kube::PodTemplateSpec*>(set.pod_template));
  }
  return templates;
}

/// A kind whose pods are made of one template.
template <class Kind>
concept HasOneTemplate = requires(Kind object) { object.template_; } || requires(Kind object) {
  object.spec.template_;
} || requires(Kind object) { object.job_spec.template_; };

/// The template of a workload that has one.
template <HasOneTemplate Kind>
[[nodiscard]] auto& template_in(Kind& object) {
  if constexpr (requires { object.template_; }) {
    return object.template_;
  } else if constexpr (requires { object.spec.template_; }) {
    return object.spec.template_;
  } else {
    return object.job_spec.template_;
  }
}

/// Whether the workload is told to have no pods for now.
template <class Kind>
[[nodiscard]] bool is_suspended(const Kind& object) {
  if constexpr (requires { object.spec.run_policy.suspend; }) {
    return object.spec.run_policy.suspend;
  } else if constexpr (requires { object.spec.suspend; }) {
    return object.spec.suspend;
  } else if constexpr (requires { object.suspend; }) {
    return object.suspend;
  } else {
    return false;
  }
}

}  // namespace loadline::workloads

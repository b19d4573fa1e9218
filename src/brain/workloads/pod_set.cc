#include "brain/workloads/pod_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "brain/workloads/job.h"
#include "brain/workloads/kind_names.h"
#include "brain/workloads/leader_worker_set.h"
#include "brain/workloads/pod_clique_set.h"
#include "brain/workloads/ray_cluster.h"
#include "brain/workloads/ray_job.h"
#include "brain/workloads/saturated.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

template <class Kind>
PodSets replicas_in(const Kind& object) {
  return {{&template_in(object), "spec.template", object.replicas}};
}

}  // namespace

PodSets pod_sets(const kube::Deployment& deployment) { return replicas_in(deployment); }
PodSets pod_sets(const kube::ReplicaSet& set) { return replicas_in(set); }
PodSets pod_sets(const kube::ReplicationController& controller) { return replicas_in(controller); }
PodSets pod_sets(const kube::StatefulSet& set) { return replicas_in(set); }

PodSets pod_sets(const kube::DaemonSet& set) { return {{&template_in(set), "spec.template", 0, true}}; }

PodSets pod_sets(const kube::Job& job) { return {{&template_in(job), "spec.template", pods_at_once(job.spec)}}; }

PodSets pod_sets(const kube::CronJob& cron_job) {
  return {{&template_in(cron_job), "spec.jobTemplate.spec.template", pods_at_once(cron_job.job_spec)}};
}

PodSets pod_sets(const kube::JobSet& set) {
  PodSets sets;
  for (std::size_t i = 0; i < set.replicated_jobs.size(); ++i) {
    const kube::ReplicatedJob& job = set.replicated_jobs[i];
    sets.push_back({&job.job_spec.template_, fmt::format("spec.replicatedJobs[{}].template.spec.template", i),
                    job.replicas * pods_at_once(job.job_spec), false, job.name});
  }
  return sets;
}

PodSets pod_sets(const kube::LeaderWorkerSet& set) {
  const std::string in = "spec.leaderWorkerTemplate.";
  PodSets sets{{&leader_template(set), in + (set.leader_template ? "leaderTemplate" : "workerTemplate"), set.replicas,
                false, "leader"}};
  if (set.size > 1) {
    const std::int64_t workers = std::int64_t{set.replicas} * (set.size - 1);
    sets.push_back({&set.worker_template, in + "workerTemplate", workers, false, "worker"});
  }
  return sets;
}

PodSets pod_sets(const TrainingView& job) {
  PodSets sets;
  for (const TrainingRole& role : roles_of(job)) {
    std::string path = fmt::format("spec.{}[{}].template", rules_of(job.framework).replicas_field, role.key);
    sets.push_back({&role.replicas->template_, std::move(path), role.count(), false, role.label()});
  }
  return sets;
}

namespace {

PodSets ray_sets(const kube::RayClusterSpec& cluster, std::string_view path) {
  PodSets sets;
  sets.push_back(
      {&cluster.head.template_, fmt::format("{}.headGroupSpec.template", path), 1, false, std::string(kRayHead)});
  for (std::size_t i = 0; i < cluster.worker_groups.size(); ++i) {
    const kube::RayWorkerGroup& group = cluster.worker_groups[i];
    std::string where = fmt::format("{}.workerGroupSpecs[{}].template", path, i);
    sets.push_back({&group.template_, std::move(where), wanted_workers(group), false, group.name});
  }
  return sets;
}

/// KubeRay's own template of the submitter is no part of the object, and not the author's to judge.
PodSets ray_sets(const kube::RayJobSpec& job, std::string_view path) {
  PodSets sets;
  if (job.cluster && job.cluster_selector.empty()) {
    sets = ray_sets(*job.cluster, fmt::format("{}.rayClusterSpec", path));
  }
  if (job.submitter_template && has_submitter_job(job)) {
    std::string where = fmt::format("{}.submitterPodTemplate", path);
    sets.push_back({&*job.submitter_template, std::move(where), 1, false, std::string(kRaySubmitter)});
  }
  return sets;
}

}  // namespace

PodSets pod_sets(const kube::RayCluster& cluster) { return ray_sets(cluster.spec, "spec"); }
PodSets pod_sets(const kube::RayJob& job) { return ray_sets(job.spec, "spec"); }
PodSets pod_sets(const kube::RayCronJob& cron_job) { return ray_sets(cron_job.spec.job, "spec.jobTemplate"); }

PodSets pod_sets(const kube::VolcanoJob& job) {
  PodSets sets;
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    const kube::VolcanoTask& task = job.tasks[i];
    sets.push_back({&task.template_, fmt::format("spec.tasks[{}].template", i), task.replicas, false, task.name});
  }
  return sets;
}

PodSets pod_sets(const kube::PodCliqueSet& set) {
  PodSets sets;
  for (std::size_t i = 0; i < set.cliques.size(); ++i) {
    const kube::CliqueTemplate& clique = set.cliques[i];
    const kube::CliqueScalingGroup* const group = scaling_group_of(set, clique.name);
    const std::int64_t copies = group == nullptr ? 1 : group->replicas.value_or(1);
    const std::int64_t groups = saturated_product(std::max(set.replicas, 0), std::max<std::int64_t>(copies, 0));
    sets.push_back({&clique.spec.template_, fmt::format("spec.template.cliques[{}]", i),
                    saturated_product(groups, std::max(clique.spec.replicas, 0)), false, clique.name, ".spec.podSpec",
                    ""});
  }
  return sets;
}

/// Its set has the templates.
PodSets pod_sets(const kube::PodCliqueScalingGroup&) { return {}; }

PodSets pod_sets(const kube::PodClique& clique) {
  return {{&clique.spec.template_, "spec", clique.spec.replicas, false, {}, ".podSpec"}};
}

namespace {

/// A submitter is a Job's, and no node of the cluster.
std::string ray_role(const kube::ObjectMeta& pod) {
  const auto type = pod.labels.find(kube::kRayNodeType);
  if (type == pod.labels.end()) return pod.labels.contains(kube::kJobName) ? std::string(kRaySubmitter) : "";
  const auto group = pod.labels.find(kube::kRayGroup);
  return type->second == kRayWorker && group != pod.labels.end() ? group->second : type->second;
}

struct RoleLabel {
  std::string_view kind;
  std::string_view label;
};

/// By which a kind's pods tell of which role they are; the first that a pod has.
constexpr RoleLabel kRoleLabels[] = {
    {"JobSet", kube::kReplicatedJobName},      {"PyTorchJob", kube::kTrainingReplicaType},
    {"TFJob", kube::kTrainingReplicaType},     {"XGBoostJob", kube::kTrainingReplicaType},
    {"PaddleJob", kube::kTrainingReplicaType}, {"JAXJob", kube::kTrainingReplicaType},
    {"MPIJob", kube::kTrainingReplicaType},    {"MPIJob", kube::kTrainingJobRole},
    {kVolcanoJob, kube::kVolcanoTaskSpec},
};

}  // namespace

std::string role_of(const WorkloadReference& workload, const kube::ObjectMeta& pod) {
  if (workload.kind == "LeaderWorkerSet") {
    const auto index = pod.labels.find(kube::kLwsWorkerIndex);
    return index != pod.labels.end() && index->second == "0" ? "leader" : "worker";
  }
  if (workload.kind.starts_with("Ray")) return ray_role(pod);
  if (workload.kind == "PodCliqueSet") return clique_of(pod);
  for (const RoleLabel& each : kRoleLabels) {
    if (each.kind != workload.kind) continue;
    const auto found = pod.labels.find(each.label);
    if (found != pod.labels.end()) return found->second;
  }
  return {};
}

}  // namespace loadline::workloads

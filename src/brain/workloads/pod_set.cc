#include "brain/workloads/pod_set.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "brain/workloads/job.h"
#include "brain/workloads/leader_worker_set.h"
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
};

}  // namespace

std::string role_of(const WorkloadReference& workload, const kube::ObjectMeta& pod) {
  if (workload.kind == "LeaderWorkerSet") {
    const auto index = pod.labels.find(kube::kLwsWorkerIndex);
    return index != pod.labels.end() && index->second == "0" ? "leader" : "worker";
  }
  for (const RoleLabel& each : kRoleLabels) {
    if (each.kind != workload.kind) continue;
    const auto found = pod.labels.find(each.label);
    if (found != pod.labels.end()) return found->second;
  }
  return {};
}

}  // namespace loadline::workloads

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brain/workloads/pod_draft.h"
#include "objects/kube/kubeflow/training_job.h"

namespace loadline::workloads {

// The pods of Kubeflow's training jobs: for each role so many replicas, `<job>-<role>-<index>`, all created at once.
// What runs goes on, whichever of the others fails; a replica that failed comes again under its name, unless its
// restart policy is Never.
// Example: a PyTorchJob "bert" with a Master and two Workers: bert-master-0, bert-worker-0, bert-worker-1.
// An MPIJob's launcher is one pod `<job>-launcher`; of the mpi-operator (v2beta1), a Job of that name.
// Sources: kubeflow/training-operator v1.9.3 (pkg/controller.v1), kubeflow/mpi-operator v0.7.0 (pkg/controller).

/// What a framework's jobs have in common, and their authors do not write.
struct FrameworkRules {
  std::string_view kind;                    ///< "PyTorchJob"
  std::string_view replicas_field;          ///< "pytorchReplicaSpecs"
  std::span<const std::string_view> roles;  ///< as they are spelled, the leading one first
  std::string_view container;               ///< the one that its processes run in
  std::string_view restart_policy;          ///< of replicas that say none
};
[[nodiscard]] const FrameworkRules& rules_of(kube::Framework framework);

/// The replicas of a role.
struct TrainingRole {
  std::string_view name;  ///< "Worker", however the author spells it
  std::string_view key;   ///< as the author spells it
  const kube::TrainingReplicas* replicas = nullptr;
  std::int64_t count_if_unsaid = 1;

  [[nodiscard]] std::int64_t count() const { return replicas->replicas ? *replicas->replicas : count_if_unsaid; }
  [[nodiscard]] std::string label() const;  ///< "worker"
};

/// What of a job its roles' pods depend on.
struct TrainingView {
  kube::Framework framework;
  bool is_of_mpi_operator;
  const kube::ObjectMeta& metadata;
  const kube::TrainingJobSpec& spec;
  const kube::TrainingJobStatus& status;

  template <kube::Framework kFramework>
  explicit TrainingView(const kube::TrainingJob<kFramework>& job)
      : framework(kFramework),
        is_of_mpi_operator(job.is_of_mpi_operator),
        metadata(job.metadata),
        spec(job.spec),
        status(job.status) {}
};

/// The roles of which the job has replicas, the leading one first. Roles that its operator does not know make no pods,
/// but TFJobs' do.
[[nodiscard]] std::vector<TrainingRole> roles_of(const TrainingView& job);
/// The role of that name; null: the job has no replicas of it.
[[nodiscard]] const kube::TrainingReplicas* replicas_of(const TrainingView& job, std::string_view role);

/// The condition by which a job is over, Succeeded or Failed; null: it is not.
[[nodiscard]] const kube::TrainingCondition* finished_condition(const kube::TrainingJobStatus& status);

/// Whether another controller than the operator sees to the job.
[[nodiscard]] bool is_managed_elsewhere(const TrainingView& job);

/// "bert-worker-3"; of an MPIJob's launcher "bert-launcher".
[[nodiscard]] std::string replica_name(const TrainingView& job, const TrainingRole& role, std::int64_t index);

/// What all pods of the role get.
[[nodiscard]] PodDraft shared_draft(const TrainingView& job, const TrainingRole& role);

/// What the replica of an index gets besides.
[[nodiscard]] PodDraft replica_draft(const TrainingView& job, const TrainingRole& role, std::int64_t index);

/// Whether the role's pods are a Job's, which the operator makes: the launcher of the mpi-operator.
[[nodiscard]] bool is_run_by_a_job(const TrainingView& job, const TrainingRole& role);

}  // namespace loadline::workloads

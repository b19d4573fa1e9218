#include "hosts/operators/mpi_operator/mpi_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "objects/kube/scalars.h"

namespace loadline::operators {
namespace {

using Faults = std::vector<std::string>;

void check_job_name(const kube::MpiJob& job, Faults& faults) {
  const auto worker = job.spec.replicas.find("Worker");
  const std::int64_t written = worker == job.spec.replicas.end() ? 1 : worker->second.replicas.value_or(1);
  const std::string last = fmt::format("{}-worker-{}", job.metadata.name, std::max<std::int64_t>(written, 1) - 1);
  const kube::NameProblems problems = kube::dns_1035_label_problems(last);
  if (problems.empty()) return;
  faults.push_back(
      fmt::format("metadata.name: Invalid value: \"{}\": will not able to create pod and service with invalid DNS "
                  "label \"{}\": {}",
                  job.metadata.name, last, fmt::join(problems, ", ")));
}

void check_one_of(std::string_view path, std::string_view value, const std::vector<std::string_view>& known,
                  Faults& faults) {
  if (value.empty() || std::find(known.begin(), known.end(), value) != known.end()) return;
  faults.push_back(
      fmt::format("{}: Unsupported value: \"{}\": supported values: \"{}\"", path, value, fmt::join(known, "\", \"")));
}

void check_not_negative(std::string_view path, const std::optional<std::int64_t>& value, Faults& faults) {
  if (!value || *value >= 0) return;
  faults.push_back(fmt::format("{}: Invalid value: {}: must be greater than or equal to 0", path, *value));
}

void check_replicas(const kube::MpiJob& job, std::string_view role, Faults& faults) {
  const std::string path = fmt::format("spec.mpiReplicaSpecs[{}]", role);
  const bool leads = role == "Launcher";
  const auto found = job.spec.replicas.find(std::string(role));
  if (found == job.spec.replicas.end()) {
    if (leads) faults.push_back(path + ": Required value: must have Launcher replica spec");
    return;
  }
  const kube::TrainingReplicas& replicas = found->second;
  check_one_of(path + ".restartPolicy", replicas.restart_policy, {"Never", "OnFailure"}, faults);
  if (replicas.template_.spec->containers.empty()) {
    faults.push_back(path + ".template.spec.containers: Required value: must define at least one container");
  }
  const std::int32_t count = replicas.replicas.value_or(leads ? 1 : 0);
  if (leads && count != 1) {
    faults.push_back(fmt::format("{}.replicas: Invalid value: {}: must be 1", path, count));
  } else if (!leads && count <= 0) {
    faults.push_back(fmt::format("{}.replicas: Invalid value: {}: must be greater than or equal to 1", path, count));
  }
}

}  // namespace

std::string faults_of_mpi_job(const kube::MpiJob& job) {
  Faults faults;
  check_job_name(job, faults);
  check_replicas(job, "Launcher", faults);
  check_replicas(job, "Worker", faults);
  const kube::RunPolicy& policy = job.spec.run_policy;
  check_not_negative("spec.slotsPerWorker", job.spec.slots_per_worker, faults);
  check_one_of("spec.runPolicy.cleanPodPolicy", policy.clean_pod_policy, {"All", "None", "Running"}, faults);
  check_not_negative("spec.runPolicy.ttlSecondsAfterFinished", policy.ttl_seconds_after_finished, faults);
  check_not_negative("spec.runPolicy.activeDeadlineSeconds", policy.active_deadline_seconds, faults);
  check_not_negative("spec.runPolicy.backoffLimit", policy.backoff_limit, faults);
  check_one_of("spec.runPolicy.managedBy", policy.managed_by,
               {"kubeflow.org/mpi-operator", "kueue.x-k8s.io/multikueue"}, faults);
  check_one_of("spec.mpiImplementation", job.spec.mpi_implementation, {"Intel", "MPICH", "OpenMPI"}, faults);
  if (faults.empty()) return {};
  return faults.size() == 1 ? faults.front() : fmt::format("[{}]", fmt::join(faults, ", "));
}

}  // namespace loadline::operators

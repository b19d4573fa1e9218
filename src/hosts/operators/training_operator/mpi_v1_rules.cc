#include "hosts/operators/training_operator/mpi_v1_rules.h"

#include <fmt/format.h>

namespace loadline::operators {
namespace {

std::string fault_of_role(const std::string& role, const kube::TrainingReplicas& replicas) {
  const auto& containers = replicas.template_.spec->containers;
  if (containers.empty()) {
    return fmt::format("MPIReplicaSpecs is not valid: containers definition expected in {}", role);
  }
  if (role != "Launcher" && role != "Worker") {
    return fmt::format("MPIReplicaType is {} but must be one of [Launcher Worker]", role);
  }
  for (const kube::Container& container : containers) {
    if (container.image.empty()) {
      return fmt::format("MPIReplicaSpec is not valid: Image is undefined in the container of {}", role);
    }
    if (container.name.empty()) {
      return fmt::format("MPIReplicaSpec is not valid: ImageName is undefined in the container of {}", role);
    }
  }
  if (role == "Launcher" && replicas.replicas.value_or(1) != 1) {
    return "MPIReplicaSpec is not valid: There must be only 1 launcher replica";
  }
  return {};
}

}  // namespace

std::string fault_of_mpi_v1_job(const kube::MpiJob& job) {
  if (job.spec.replicas.empty()) return "MPIReplicaSpecs is not valid";
  for (const auto& [role, replicas] : job.spec.replicas) {
    if (std::string fault = fault_of_role(role, replicas); !fault.empty()) return fault;
  }
  if (!job.spec.replicas.contains("Launcher")) {
    return "MPIReplicaSpec is not valid: Master ReplicaSpec must be present";
  }
  return {};
}

}  // namespace loadline::operators

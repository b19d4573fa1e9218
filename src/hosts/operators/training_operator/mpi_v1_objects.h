#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "brain/workloads/training_job.h"
#include "foundation/document/value.h"
#include "hosts/watching/kind_name.h"

namespace loadline::operators {

/// MPIJobs as the training-operator runs them.
inline constexpr watching::KindName kMpiV1{"kubeflow.org", "v1", "MPIJob", "mpijobs"};

// The objects that an MPIJob of kubeflow.org/v1 is made into, as documents. `written` is the job's document.
// Source: pkg/controller.v1/mpi, training-operator v1.9.3.

/// The account that the launcher runs as.
[[nodiscard]] std::string mpi_v1_account_name(const workloads::TrainingView& job);
[[nodiscard]] document::Value mpi_v1_account(const workloads::TrainingView& job);
[[nodiscard]] document::Value mpi_v1_role(const workloads::TrainingView& job);
[[nodiscard]] document::Value mpi_v1_role_binding(const workloads::TrainingView& job);
/// What processes find the workers by: a list of hosts, a script that says which run now, and one that starts a process
/// in a worker. `running` are the names of the workers that run.
[[nodiscard]] document::Value mpi_v1_config_map(const workloads::TrainingView& job, const document::Value& written,
                                                std::vector<std::string> running);
[[nodiscard]] document::Value mpi_v1_worker(const workloads::TrainingView& job, const document::Value& written,
                                            const workloads::TrainingRole& role, std::int64_t index);
[[nodiscard]] document::Value mpi_v1_launcher(const workloads::TrainingView& job, const document::Value& written,
                                              const workloads::TrainingRole& role);

}  // namespace loadline::operators

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "brain/workloads/training_job.h"
#include "foundation/document/value.h"
#include "objects/kube/kubeflow/training_job.h"

namespace loadline::operators {

// The objects that an MPIJob of v2beta1 is made into, as documents. `written` is the job's document.
// Source: newConfigMap, newService, newWorker, newLauncherJob in pkg/controller/mpi_job_controller.go,
// mpi-operator v0.7.0.

/// The headless Service by which pods find each other.
[[nodiscard]] document::Value mpi_service(const kube::MpiJob& job);

/// A ConfigMap's data: the file of hosts, and the script that tells which of them run.
/// `running`: names of the workers that do, in order.
[[nodiscard]] document::Value mpi_hosts(const kube::MpiJob& job, const std::vector<std::string>& running);
[[nodiscard]] document::Value mpi_config_map(const kube::MpiJob& job, document::Value hosts);

/// The Secret with a key for SSH; both texts are in base64.
[[nodiscard]] document::Value mpi_secret(const kube::MpiJob& job, std::string private_key, std::string public_key);

[[nodiscard]] document::Value mpi_worker(const kube::MpiJob& job, const document::Value& written,
                                         const workloads::TrainingRole& role, std::int64_t index);

[[nodiscard]] document::Value mpi_launcher(const kube::MpiJob& job, const document::Value& written,
                                           const workloads::TrainingRole& role);

}  // namespace loadline::operators

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"
#include "objects/kube/scalars.h"

namespace loadline::kube {

/// Whose processes a training job of Kubeflow runs: what tells its kinds apart.
enum class Framework : std::uint8_t { kPyTorch, kTensorFlow, kXgBoost, kPaddle, kJax, kMpi };

/// Replicas of one role: "Master", "Worker", ….
struct TrainingReplicas {
  std::optional<std::int32_t> replicas;  ///< absent: 1
  std::string restart_policy;            ///< Always, OnFailure, Never, ExitCode; empty: the framework's default
  PodTemplateSpec template_;
};

/// What other schedulers are told of a job's pods.
struct TrainingSchedulingPolicy {
  std::optional<std::int32_t> min_available;  ///< absent: all pods
  std::string queue;
  std::string priority_class;
  std::optional<std::int32_t> schedule_timeout_seconds;
};

struct RunPolicy {
  std::string clean_pod_policy;  ///< None, Running, All; empty: None
  std::optional<std::int32_t> ttl_seconds_after_finished;
  std::optional<std::int64_t> active_deadline_seconds;
  std::optional<std::int32_t> backoff_limit;
  std::optional<TrainingSchedulingPolicy> scheduling_policy;
  bool suspend = false;
  std::string managed_by;  ///< empty: the operator
};

/// PyTorch's torchrun with workers that may come and go.
struct ElasticPolicy {
  std::optional<std::int32_t> min_replicas;
  std::optional<std::int32_t> max_replicas;
  std::string rendezvous_backend;
  std::optional<std::int32_t> rendezvous_port;
  std::string rendezvous_host;
  std::string rendezvous_id;
  std::optional<std::int32_t> processes_per_node;
  std::optional<std::int32_t> max_restarts;
  bool standalone = false;
  bool has_metrics = false;  ///< an autoscaler of workers is asked for
};

struct TrainingJobSpec {
  std::map<std::string, TrainingReplicas> replicas;  ///< by role, as the author spells it
  RunPolicy run_policy;
  std::optional<ElasticPolicy> elastic;          ///< PyTorch, Paddle
  std::string processes_per_node;                ///< PyTorch: a number, "auto", "cpu", "gpu"
  std::string success_policy;                    ///< TensorFlow: "" (chief, else worker 0) or AllWorkers
  bool has_dynamic_workers = false;              ///< TensorFlow
  std::optional<std::int32_t> slots_per_worker;  ///< MPI
  std::string launcher_creation_policy;          ///< MPI v2beta1: AtStartup, WaitForWorkersReady
  std::string mpi_implementation;                ///< MPI v2beta1: OpenMPI, Intel, MPICH
  std::string ssh_auth_mount_path;               ///< MPI v2beta1
  bool runs_launcher_as_worker = false;          ///< MPI v2beta1
};

struct TrainingCondition {
  std::string type;  ///< Created, Running, Restarting, Suspended, Succeeded, Failed
  std::string status;
  std::string reason;
  std::string message;
  std::optional<Instant> last_update_time;
  std::optional<Instant> last_transition_time;
};

/// How many pods of a role are in which state.
struct TrainingReplicaStatus {
  std::int32_t active = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::string selector;
};

struct TrainingJobStatus {
  std::vector<TrainingCondition> conditions;
  std::map<std::string, TrainingReplicaStatus> replicas;  ///< by role
  std::optional<Instant> start_time;
  std::optional<Instant> completion_time;
  std::optional<Instant> last_reconcile_time;
};

/// A job of Kubeflow's training-operator (kubeflow.org/v1), or of its mpi-operator (MPIJob v2beta1).
template <Framework kFramework>
struct TrainingJob {
  ObjectMeta metadata;
  bool is_of_mpi_operator = false;  ///< apiVersion kubeflow.org/v2beta1
  TrainingJobSpec spec;
  TrainingJobStatus status;
};

using PyTorchJob = TrainingJob<Framework::kPyTorch>;
using TensorFlowJob = TrainingJob<Framework::kTensorFlow>;
using XgBoostJob = TrainingJob<Framework::kXgBoost>;
using PaddleJob = TrainingJob<Framework::kPaddle>;
using JaxJob = TrainingJob<Framework::kJax>;
using MpiJob = TrainingJob<Framework::kMpi>;

}  // namespace loadline::kube

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "brain/workloads/training_job.h"
#include "foundation/document/value.h"

namespace loadline::operators {

/// The port at which a framework's processes find each other, unless the author declares one of that name.
struct FrameworkPort {
  std::string_view name;  ///< "pytorchjob-port"
  std::int32_t number;
};
[[nodiscard]] FrameworkPort port_of(kube::Framework framework);

/// Which of the template's containers the framework's processes run in: the one of its name, else the first.
[[nodiscard]] std::size_t framework_container(const workloads::TrainingView& job,
                                              const kube::TrainingReplicas& replicas);

/// How a replica of a job is told who it is and where the others are: variables for its containers, as a container's
/// `env` lists them. `is_for_all`: all containers get them, not only the framework's.
/// `written` is the job's document.
/// Source: envvar.go, tensorflow.go and xgboost.go in pkg/controller.v1, training-operator v1.9.3.
struct Environment {
  document::Array variables;
  bool is_for_all = true;
};
[[nodiscard]] Environment environment_of(const workloads::TrainingView& job, const document::Value& written,
                                         const workloads::TrainingRole& role, std::int64_t index);

/// Of TensorFlow and XGBoost, every pod gets the addresses of all. How many bytes these take in a pod of the role, at
/// most; 0: it gets none. Costs the same for any number of pods.
[[nodiscard]] std::size_t environment_bytes(const workloads::TrainingView& job, const workloads::TrainingRole& role);

/// Why no pod of the role can be made: with its list it would be larger than an API server takes; empty: it can.
constexpr std::size_t kMostEnvironmentBytes = std::size_t{1} << 20;
[[nodiscard]] std::string environment_problem(const workloads::TrainingView& job, const workloads::TrainingRole& role);

}  // namespace loadline::operators

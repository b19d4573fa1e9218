#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "brain/workloads/training_job.h"
#include "foundation/base/time.h"
#include "hosts/watching/action.h"

namespace loadline::operators {

/// The status of a training job as it will be written, and what is told of it.
class TrainingStatus {
 public:
  TrainingStatus(const workloads::TrainingView& job, document::Value reference, Instant now)
      : status(job.status), job_(job), reference_(std::move(reference)), now_(now) {}

  /// Puts the condition at the end, in place of the one of its type. Nothing follows a failure; Running and Restarting
  /// exclude each other. `what` is the end of the reason: "Running" for "PyTorchJobRunning".
  /// Source: UpdateJobConditions in pkg/util/status.go, training-operator v1.9.3.
  void set_condition(std::string_view type, bool value, std::string_view what, const std::string& message);
  [[nodiscard]] bool has(std::string_view type) const;
  /// Tells `message` with the reason that ends so.
  void tell(watching::Event::Type type, std::string_view what, std::string message);
  /// Under a reason that is not the kind's own.
  void tell_plainly(watching::Event::Type type, std::string_view reason, std::string message);
  void complete_now();

  /// What follows for the job from the counts of its roles: it runs, is restarted, succeeds or fails.
  /// `first_worker_succeeded` matters to TFJobs. Source: UpdateJobStatus of each framework's reconciler, ibidem.
  void judge(bool first_worker_succeeded);

  kube::TrainingJobStatus status;
  std::vector<watching::Event> events;

 private:
  struct Counts {
    std::int64_t expected;  ///< pods that have not succeeded
    std::int64_t running;
    std::int64_t failed;
    bool is_short;  ///< there are less than there should be
  };

  void judge_tensorflow(bool first_worker_succeeded);
  void judge_xgboost();
  void judge_others();
  [[nodiscard]] Counts counts_of(const workloads::TrainingRole& role) const;
  void run(bool names_namespace);
  void succeed(bool names_namespace);
  void fail_or_restart(const workloads::TrainingRole& role, std::int64_t failed, bool restarts);
  [[nodiscard]] std::string named(bool names_namespace) const;
  [[nodiscard]] std::string_view kind() const { return workloads::rules_of(job_.framework).kind; }

  const workloads::TrainingView& job_;
  document::Value reference_;
  Instant now_;
};

/// The role's restart policy, or the framework's.
[[nodiscard]] std::string_view restart_policy_of(const workloads::TrainingView& job,
                                                 const workloads::TrainingRole& role);

}  // namespace loadline::operators

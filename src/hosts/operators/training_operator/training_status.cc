#include "hosts/operators/training_operator/training_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hosts/controllers/workload_conditions.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using kube::Framework;
using watching::Event;
using workloads::TrainingRole;

constexpr std::string_view kMasterRole = "Master";
constexpr std::string_view kWorkerRole = "Worker";

}  // namespace

std::string_view restart_policy_of(const workloads::TrainingView& job, const TrainingRole& role) {
  const std::string& policy = role.replicas->restart_policy;
  return policy.empty() ? workloads::rules_of(job.framework).restart_policy : std::string_view(policy);
}

void TrainingStatus::set_condition(std::string_view type, bool value, std::string_view what,
                                   const std::string& message) {
  if (has("Failed")) return;
  const Instant at = controllers::whole_seconds(now_);
  kube::TrainingCondition condition{
      std::string(type), value ? "True" : "False", fmt::format("{}{}", kind(), what), message, at, at};
  std::vector<kube::TrainingCondition> kept;
  for (kube::TrainingCondition& known : status.conditions) {
    if (known.type == type) {
      if (known.status == condition.status && known.reason == condition.reason) return;
      if (known.status == condition.status) condition.last_transition_time = known.last_transition_time;
    }
  }
  for (kube::TrainingCondition& known : status.conditions) {
    const bool is_excluded = (type == "Restarting" && known.type == "Running") ||
                             (type == "Running" && known.type == "Restarting") || known.type == type;
    if (is_excluded) continue;
    if ((type == "Failed" || type == "Succeeded") && known.type == "Running") known.status = "False";
    kept.push_back(std::move(known));
  }
  kept.push_back(std::move(condition));
  status.conditions = std::move(kept);
}

bool TrainingStatus::has(std::string_view type) const {
  return std::any_of(status.conditions.begin(), status.conditions.end(),
                     [&](const auto& each) { return each.type == type && each.status == "True"; });
}

void TrainingStatus::tell(Event::Type type, std::string_view what, std::string message) {
  tell_plainly(type, fmt::format("{}{}", kind(), what), std::move(message));
}

void TrainingStatus::tell_plainly(Event::Type type, std::string_view reason, std::string message) {
  events.push_back({reference_, type, std::string(reason), std::move(message)});
}

void TrainingStatus::complete_now() {
  if (!status.completion_time) status.completion_time = controllers::whole_seconds(now_);
}

TrainingStatus::Counts TrainingStatus::counts_of(const TrainingRole& role) const {
  const auto found = status.replicas.find(std::string(role.name));
  const kube::TrainingReplicaStatus counts =
      found == status.replicas.end() ? kube::TrainingReplicaStatus() : found->second;
  return {role.count() - counts.succeeded, counts.active, counts.failed,
          role.count() > std::int64_t{counts.succeeded} + counts.active};
}

std::string TrainingStatus::named(bool names_namespace) const {
  if (!names_namespace) return fmt::format("{} {}", kind(), job_.metadata.name);
  return fmt::format("{} {}/{}", kind(), job_.metadata.namespace_, job_.metadata.name);
}

void TrainingStatus::run(bool names_namespace) {
  set_condition("Running", true, "Running", named(names_namespace) + " is running.");
}

void TrainingStatus::succeed(bool names_namespace) {
  const std::string message =
      named(names_namespace) + (names_namespace ? " successfully completed." : " is successfully completed.");
  tell(Event::Type::kNormal, "Succeeded", message);
  complete_now();
  set_condition("Succeeded", true, "Succeeded", message);
}

void TrainingStatus::fail_or_restart(const TrainingRole& role, std::int64_t failed, bool restarts) {
  if (restarts) {
    const std::string message =
        fmt::format("{} is restarting because {} {} replica(s) failed.", named(false), failed, role.name);
    tell(Event::Type::kWarning, "Restarting", message);
    return set_condition("Restarting", true, "Restarting", message);
  }
  const std::string message =
      fmt::format("{} is failed because {} {} replica(s) failed.", named(false), failed, role.name);
  tell(Event::Type::kNormal, "Failed", message);
  complete_now();
  set_condition("Failed", true, "Failed", message);
}

void TrainingStatus::judge(bool first_worker_succeeded) {
  if (!status.start_time) status.start_time = controllers::whole_seconds(now_);
  if (job_.framework == Framework::kTensorFlow) return judge_tensorflow(first_worker_succeeded);
  if (job_.framework == Framework::kXgBoost) return judge_xgboost();
  judge_others();
}

/// PyTorch, Paddle, JAX: the master decides, else the workers together; with PyTorch's elastic policy, any of them.
void TrainingStatus::judge_others() {
  const bool has_master = workloads::replicas_of(job_, kMasterRole) != nullptr;
  for (const TrainingRole& role : workloads::roles_of(job_)) {
    status.replicas[std::string(role.name)].selector =
        fmt::format("{}={},{}={}-controller,{}={}", kube::kTrainingJobName, job_.metadata.name,
                    kube::kTrainingOperatorName, kube::lower_case(kind()), kube::kTrainingReplicaType, role.label());
    const Counts counts = counts_of(role);
    if (role.name == (has_master ? kMasterRole : kWorkerRole)) {
      const bool is_enough =
          job_.framework == Framework::kPyTorch && !has_master && job_.spec.elastic && counts.expected < role.count();
      const bool is_done = counts.expected == 0 || is_enough;
      if (counts.running > 0 && (has_master || !is_done)) run(!has_master);
      if (is_done) succeed(!has_master);
      if (is_done && has_master) return;
    }
    if (counts.failed > 0 && counts.is_short) {
      fail_or_restart(role, counts.failed, restart_policy_of(job_, role) != "Never");
    }
  }
}

void TrainingStatus::judge_xgboost() {
  for (const TrainingRole& role : workloads::roles_of(job_)) {
    const Counts counts = counts_of(role);
    if (role.name == kMasterRole) {
      if (counts.running > 0 || counts.expected == 0) run(false);
      if (counts.expected == 0) return succeed(false);
    }
    if (counts.failed == 0) continue;
    run(false);
    fail_or_restart(role, counts.failed, restart_policy_of(job_, role) == "ExitCode");
  }
}

/// The chief or the master decides, else the first worker, or all of them.
void TrainingStatus::judge_tensorflow(bool first_worker_succeeded) {
  const bool has_chief =
      workloads::replicas_of(job_, "Chief") != nullptr || workloads::replicas_of(job_, kMasterRole) != nullptr;
  const auto restarting = std::find_if(status.conditions.begin(), status.conditions.end(),
                                       [](const auto& condition) { return condition.type == "Restarting"; });
  const bool is_restarting = restarting != status.conditions.end();
  const std::string restart_message = is_restarting ? restarting->message : "";
  for (const std::string_view name : {"Chief", "Evaluator", "Master", "PS", "Worker"}) {
    for (const TrainingRole& role : workloads::roles_of(job_)) {
      if (role.name != name) continue;
      const Counts counts = counts_of(role);
      const bool decides = has_chief ? name == "Chief" || name == kMasterRole : name == kWorkerRole;
      const bool is_done =
          counts.expected == 0 || (!has_chief && first_worker_succeeded && job_.spec.success_policy != "AllWorkers");
      if (decides && counts.running > 0 && (has_chief || !is_done)) run(true);
      if (decides && is_done) succeed(true);
      if (counts.failed == 0) continue;
      if (is_restarting) {
        set_condition("Restarting", true, "Restarting", restart_message);
        continue;
      }
      if (job_.spec.has_dynamic_workers && name == kWorkerRole) continue;
      const std::string message =
          fmt::format("{} has failed because {} {} replica(s) failed.", named(true), counts.failed, name);
      tell(Event::Type::kNormal, "Failed", message);
      complete_now();
      set_condition("Failed", true, "Failed", message);
    }
  }
}

}  // namespace loadline::operators

#include "hosts/timeline/endings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "foundation/document/at.h"
#include "objects/kube/condition.h"

namespace loadline::timeline {
namespace {

using document::text_at;
using document::Value;

bool says_completed(std::string_view word) {
  constexpr std::array<std::string_view, 3> kWords = {"Complete", "Completed", "Succeeded"};
  return std::ranges::find(kWords, word) != kWords.end();
}

/// Volcano's Jobs are Aborted and Terminated, too.
bool says_failed(std::string_view word) {
  constexpr std::array<std::string_view, 3> kWords = {"Failed", "Aborted", "Terminated"};
  return std::ranges::find(kWords, word) != kWords.end();
}

std::optional<Ending> ending_of(std::string_view word) {
  if (says_completed(word)) return Ending::kCompleted;
  if (says_failed(word)) return Ending::kFailed;
  return std::nullopt;
}

std::int64_t integer_at(const Value& object, document::Names names, std::int64_t otherwise) {
  const Value* value = document::find_at(object, names);
  return value != nullptr && value->is_integer() ? value->integer() : otherwise;
}

std::string first_of(std::string_view message, std::string_view reason) {
  return std::string(message.empty() ? reason : message);
}

/// "container main ended with exit code 1 (Error)": of the first one that failed.
std::string exit_message(const std::vector<kube::ContainerStatus>& statuses) {
  for (const kube::ContainerStatus& status : statuses) {
    if (!status.state.terminated || status.state.terminated->exit_code == 0) continue;
    return fmt::format("container {} ended with exit code {} ({})", status.name, status.state.terminated->exit_code,
                       status.state.terminated->reason);
  }
  return {};
}

std::string waiting_reason(const std::vector<kube::ContainerStatus>& statuses) {
  for (const kube::ContainerStatus& status : statuses) {
    if (status.state.waiting && !status.state.waiting->reason.empty()) return status.state.waiting->reason;
  }
  return {};
}

std::string message_of_failed(const kube::Pod& pod) {
  std::string message = first_of(pod.status.message, pod.status.reason);
  if (message.empty()) message = exit_message(pod.status.init_container_statuses);
  return message.empty() ? exit_message(pod.status.container_statuses) : message;
}

std::string message_of_waiting(const kube::Pod& pod) {
  if (!pod.spec->node_name.empty()) {
    std::string reason = waiting_reason(pod.status.init_container_statuses);
    return reason.empty() ? waiting_reason(pod.status.container_statuses) : reason;
  }
  const kube::Condition* scheduled = kube::find_condition(pod.status.conditions, "PodScheduled");
  return scheduled == nullptr || scheduled->status == "True" ? std::string()
                                                             : first_of(scheduled->message, scheduled->reason);
}

}  // namespace

std::optional<StatedEnding> stated_ending(const Value& object, Duration now) {
  for (const Value& condition : document::items_at(object, {"status", "conditions"})) {
    if (text_at(condition, {"status"}) != "True") continue;
    const std::optional<Ending> ending = ending_of(text_at(condition, {"type"}));
    if (ending)
      return StatedEnding{now, *ending, first_of(text_at(condition, {"message"}), text_at(condition, {"reason"}))};
  }
  for (const document::Names names : {document::Names{"status", "phase"}, document::Names{"status", "state", "phase"},
                                      document::Names{"status", "jobDeploymentStatus"}}) {
    const std::optional<Ending> ending = ending_of(text_at(object, names));
    if (ending)
      return StatedEnding{now, *ending,
                          first_of(text_at(object, {"status", "message"}), text_at(object, {"status", "reason"}))};
  }
  return std::nullopt;
}

std::string waiting_message(const Value& object) {
  for (const std::string_view type : {"Suspended", "ReplicaFailure"}) {
    const Value* condition = kube::find_condition(object, type);
    if (condition == nullptr || text_at(*condition, {"status"}) != "True") continue;
    return first_of(text_at(*condition, {"message"}), text_at(*condition, {"reason"}));
  }
  return {};
}

std::optional<std::int64_t> wanted_pods(const Value& object) {
  const std::string_view kind = text_at(object, {"kind"});
  const std::string_view version = text_at(object, {"apiVersion"});
  if (kind == "Job" && version.starts_with("batch/")) {
    const std::int64_t parallelism = integer_at(object, {"spec", "parallelism"}, 1);
    return std::min(parallelism, integer_at(object, {"spec", "completions"}, parallelism));
  }
  const bool is_replicated = version.starts_with("apps/") && kind != "DaemonSet";
  if (!is_replicated && kind != "ReplicationController") return std::nullopt;
  return integer_at(object, {"spec", "replicas"}, 1);
}

bool is_cron(std::string_view kind) { return kind == "CronJob" || kind == "RayCronJob"; }

bool is_workload(std::string_view kind) {
  constexpr std::array<std::string_view, 18> kKinds = {
      "DaemonSet",       "Deployment", "JAXJob",     "Job",          "JobSet",
      "LeaderWorkerSet", "MPIJob",     "PaddleJob",  "PodCliqueSet", "PyTorchJob",
      "RayCluster",      "RayJob",     "RayService", "ReplicaSet",   "ReplicationController",
      "StatefulSet",     "TFJob",      "XGBoostJob"};
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

std::string pod_message(const kube::Pod& pod) {
  if (pod.status.phase == kube::PodPhase::kFailed && !pod.metadata.deletion_timestamp) return message_of_failed(pod);
  const kube::Condition* target = kube::find_condition(pod.status.conditions, "DisruptionTarget");
  if (target != nullptr && target->status == "True") return first_of(target->message, target->reason);
  if (pod.status.phase == kube::PodPhase::kFailed) return message_of_failed(pod);
  return pod.status.phase == kube::PodPhase::kPending ? message_of_waiting(pod) : std::string();
}

std::int32_t restarts_of(const kube::Pod& pod) {
  std::int32_t restarts = 0;
  for (const kube::ContainerStatus& status : pod.status.container_statuses) restarts += status.restart_count;
  for (const kube::ContainerStatus& status : pod.status.init_container_statuses) restarts += status.restart_count;
  return restarts;
}

}  // namespace loadline::timeline

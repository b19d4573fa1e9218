#include "hosts/operators/kuberay/ray_cluster_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "brain/workloads/ray_cluster.h"
#include "foundation/document/at.h"
#include "hosts/operators/kuberay/ray_start.h"
#include "objects/kube/workload_names.h"
#include "objects/schema/quantity.h"

namespace loadline::operators {
namespace {

using document::Array;
using document::Object;
using document::text_at;
using document::Value;

struct RayCondition {
  std::string_view type;
  bool is_true = false;
  std::string reason;
  std::string message = {};
};

bool is_of_type(const kube::Pod& pod, std::string_view type) {
  const auto found = pod.metadata.labels.find(kube::kRayNodeType);
  return found != pod.metadata.labels.end() && found->second == type;
}

const kube::Condition* ready_condition(const kube::Pod& pod) {
  const auto found = std::ranges::find(pod.status.conditions, "Ready", &kube::Condition::type);
  return found == pod.status.conditions.end() ? nullptr : &*found;
}

/// The conditions of a status, of which each is passed on as it was while it says the same.
class Conditions {
 public:
  Conditions(const Value& status, Instant now) : now_(now) {
    const Value* found = status.find("conditions");
    if (found != nullptr && found->is_array()) all_ = found->array();
  }

  [[nodiscard]] bool is_true(std::string_view type) const {
    return std::ranges::any_of(
        all_, [&](const Value& one) { return text_at(one, {"type"}) == type && text_at(one, {"status"}) == "True"; });
  }
  void set(const RayCondition& condition) {
    const std::string_view status = condition.is_true ? "True" : "False";
    std::string since = format_rfc3339(now_);
    const auto found =
        std::ranges::find_if(all_, [&](const Value& one) { return text_at(one, {"type"}) == condition.type; });
    if (found != all_.end() && text_at(*found, {"status"}) == status) since = text_at(*found, {"lastTransitionTime"});
    Value made(Object{{"lastTransitionTime", Value(since), {}},
                      {"message", Value(condition.message), {}},
                      {"reason", Value(condition.reason), {}},
                      {"status", Value(status), {}},
                      {"type", Value(condition.type), {}}});
    if (found == all_.end()) {
      all_.push_back(std::move(made));
    } else {
      *found = std::move(made);
    }
  }
  void remove(std::string_view type) {
    std::erase_if(all_, [&](const Value& one) { return text_at(one, {"type"}) == type; });
  }
  [[nodiscard]] Value value() && { return Value(std::move(all_)); }

 private:
  Array all_;
  Instant now_;
};

/// Why the first container that does not run does not: its reason, and its name and message.
std::optional<std::pair<std::string, std::string>> container_trouble(const Value& pod) {
  const Value* statuses = document::find_at(pod, {"status", "containerStatuses"});
  if (statuses == nullptr || !statuses->is_array()) return std::nullopt;
  for (const Value& status : statuses->array()) {
    for (const std::string_view state : {"waiting", "terminated"}) {
      const Value* found = document::find_at(status, {"state", state});
      if (found == nullptr || !found->is_object()) continue;
      return std::pair(std::string(text_at(*found, {"reason"})),
                       fmt::format("{}: {}", text_at(status, {"name"}), text_at(*found, {"message"})));
    }
  }
  return std::nullopt;
}

RayCondition head_condition(const RayPods& pods) {
  const auto head =
      std::ranges::find_if(pods, [](const auto* pod) { return is_of_type(pod->view, workloads::kRayHead); });
  if (head == pods.end()) return {"HeadPodReady", false, "HeadPodNotFound", "Head Pod not found"};
  const kube::Condition* ready = ready_condition((*head)->view);
  if (ready == nullptr) return {"HeadPodReady", false, "Unknown"};
  RayCondition condition{"HeadPodReady", ready->status == "True", "Unknown", ready->message};
  if (!ready->reason.empty()) {
    condition.reason = ready->reason;
  } else if (condition.is_true) {
    condition.reason = "HeadPodRunningAndReady";
  }
  if (ready->reason != "ContainersNotReady") return condition;
  if (const auto trouble = container_trouble((*head)->document)) {
    condition.reason = trouble->first;
    condition.message += (condition.message.empty() ? "" : "; ") + trouble->second;
  }
  return condition;
}

RayCondition failure_condition(const watching::FailedAction& failed) {
  const std::string_view type =
      text_at(failed.action.document, {"metadata", "labels", kube::kRayNodeType}) == workloads::kRayHead ? "Head"
                                                                                                         : "Worker";
  std::string reason = fmt::format("FailedCreate{}Pod", type);
  std::string message = fmt::format("{}\n{}", reason, failed.status.message);
  return {"ReplicaFailure", true, std::move(reason), std::move(message)};
}

void set_conditions(Conditions& conditions, const kube::RayCluster& cluster, const RayPods& pods) {
  conditions.set(head_condition(pods));
  const bool was_suspended = conditions.is_true("RayClusterSuspended");
  const bool was_suspending = conditions.is_true("RayClusterSuspending");
  if (!conditions.is_true("RayClusterProvisioned") && !was_suspended) {
    conditions.set(all_run(pods) ? RayCondition{"RayClusterProvisioned", true, "AllPodRunningAndReadyFirstTime",
                                                "All Ray Pods are ready for the first time"}
                                 : RayCondition{"RayClusterProvisioned", false, "RayClusterPodsProvisioning",
                                                "RayCluster Pods are being provisioned for first time"});
  }
  if (was_suspending) {
    if (!pods.empty()) return;
    conditions.set({"RayClusterProvisioned", false, "RayClusterPodsProvisioning", "RayCluster has been suspended"});
    conditions.set({"RayClusterSuspending", false, "RayClusterSuspending"});
    conditions.set({"RayClusterSuspended", true, "RayClusterSuspended"});
  } else if (was_suspended) {
    if (!cluster.spec.suspend) conditions.set({"RayClusterSuspended", false, "RayClusterSuspended"});
  } else {
    conditions.set({"RayClusterSuspended", false, "RayClusterSuspended"});
    conditions.set({"RayClusterSuspending", cluster.spec.suspend, "RayClusterSuspending"});
  }
}

/// A number that is 0 is not written.
Value with_count(Value status, std::string_view name, std::int64_t count) {
  if (count == 0) return document::without_at(std::move(status), {name});
  return std::move(status).with(name, Value(std::min<std::int64_t>(count, std::numeric_limits<std::int32_t>::max())));
}

Value with_counts(Value status, const kube::RayCluster& cluster, const RayPods& pods) {
  std::int64_t available = 0;
  std::int64_t ready = 0;
  for (const auto* pod : pods) {
    if (!is_of_type(pod->view, workloads::kRayWorker) || pod->view.status.phase != kube::PodPhase::kRunning) continue;
    ++available;
    const kube::Condition* condition = ready_condition(pod->view);
    if (condition != nullptr && condition->status == "True") ++ready;
  }
  std::int64_t desired = 0;
  std::int64_t least = 0;
  std::int64_t most = 0;
  for (const kube::RayWorkerGroup& group : cluster.spec.worker_groups) {
    desired += workloads::wanted_workers(group);
    if (group.suspend) continue;
    least += std::int64_t{group.min_replicas.value_or(0)} * group.hosts_per_replica;
    most +=
        std::int64_t{group.max_replicas.value_or(std::numeric_limits<std::int32_t>::max())} * group.hosts_per_replica;
  }
  status = with_count(std::move(status), "availableWorkerReplicas", available);
  status = with_count(std::move(status), "readyWorkerReplicas", ready);
  status = with_count(std::move(status), "desiredWorkerReplicas", desired);
  status = with_count(std::move(status), "minWorkerReplicas", least);
  return with_count(std::move(status), "maxWorkerReplicas", most);
}

std::string state_of(const kube::RayCluster& cluster, const RayLook& look) {
  if (cluster.spec.suspend && look.pods.empty()) return "suspended";
  std::int64_t desired = 1;
  for (const kube::RayWorkerGroup& group : cluster.spec.worker_groups) desired += workloads::wanted_workers(group);
  const bool is_complete = static_cast<std::int64_t>(look.pods.size()) == desired && all_run(look.pods);
  return is_complete && !look.is_unsettled ? "ready" : cluster.status.state;
}

// ---- what the cluster asks for --------------------------------------------------------------------------------------

/// Of a container what it requests, and its limit where it requests none.
void add_amounts(std::map<std::string, schema::Quantity>& sum, const Value& pod_template, std::int64_t count) {
  const Value containers = document::value_at(pod_template, {"spec", "containers"});
  if (!containers.is_array()) return;
  for (const Value& container : containers.array()) {
    std::map<std::string_view, schema::Quantity> amounts;
    for (const std::string_view list : {"requests", "limits"}) {
      const Value written = document::value_at(container, {"resources", list});
      if (!written.is_object()) continue;
      for (const auto& [name, amount, mark] : written.object()) {
        const auto parsed = amount.is_integer() ? Result<schema::Quantity>(schema::Quantity::of(amount.integer()))
                                                : schema::Quantity::parse(text_at(written, {name}));
        if (parsed) amounts.try_emplace(name, *parsed);
      }
    }
    for (const auto& [name, amount] : amounts) {
      const auto [place, is_new] = sum.try_emplace(std::string(name), amount.times(count));
      if (!is_new) place->second += amount.times(count);
    }
  }
}

Value with_desired_amounts(Value status, const kube::RayCluster& cluster, const Value& object) {
  std::map<std::string, schema::Quantity> sum;
  add_amounts(sum, document::value_at(object, {"spec", "headGroupSpec", "template"}), 1);
  const Value groups = document::value_at(object, {"spec", "workerGroupSpecs"});
  for (std::size_t i = 0; groups.is_array() && i < groups.array().size(); ++i) {
    const kube::RayWorkerGroup& group = cluster.spec.worker_groups[i];
    const std::int64_t count = std::int64_t{group.replicas.value_or(0)} * group.hosts_per_replica;
    if (!group.suspend && count > 0) add_amounts(sum, document::value_at(groups.array()[i], {"template"}), count);
  }
  const auto amount_of = [&](const std::string& name) {
    const auto found = sum.find(name);
    return Value(found == sum.end() ? "0" : found->second.to_string());
  };
  schema::Quantity gpus;
  for (const auto& [name, amount] : sum) {
    if (is_ray_gpu(name)) gpus += amount;
  }
  return std::move(status)
      .with("desiredCPU", amount_of("cpu"))
      .with("desiredMemory", amount_of("memory"))
      .with("desiredGPU", Value(gpus.to_string()))
      .with("desiredTPU", amount_of("google.com/tpu"));
}

// ---- where it is reached --------------------------------------------------------------------------------------------

Value with_endpoints(Value status, const Value& service) {
  const Value ports = document::value_at(service, {"spec", "ports"});
  if (!ports.is_array()) return status;
  for (const Value& port : ports.array()) {
    const std::string_view name = text_at(port, {"name"});
    const Value node_port = document::value_at(port, {"nodePort"});
    const Value target = document::value_at(port, {"targetPort"});
    std::string reached;
    if (node_port.is_integer() && node_port.integer() != 0) {
      reached = std::to_string(node_port.integer());
    } else if (target.is_integer() && target.integer() != 0) {
      reached = std::to_string(target.integer());
    } else if (target.is_string()) {
      reached = target.string();
    }
    if (name.empty() || reached.empty()) continue;
    status = document::with_at(std::move(status), {"endpoints", name}, Value(reached));
  }
  return status;
}

Value with_head(Value status, const RayLook& look) {
  Object head;
  std::string ip;
  for (const auto* pod : look.pods) {
    if (!is_of_type(pod->view, workloads::kRayHead)) continue;
    ip = pod->view.status.pod_ip;
    if (!ip.empty()) head.push_back({"podIP", Value(ip), {}});
    head.push_back({"podName", Value(pod->metadata().name), {}});
    break;
  }
  // A service without an address of its own has the head's.
  const std::string_view address = text_at(look.head_service, {"spec", "clusterIP"});
  const std::string reached = address == "None" ? ip : std::string(address);
  if (!reached.empty()) head.push_back({"serviceIP", Value(reached), {}});
  head.push_back({"serviceName", Value(text_at(look.head_service, {"metadata", "name"})), {}});
  return std::move(status).with("head", Value(std::move(head)));
}

/// What a change of alone is not worth writing.
Value without_trifles(Value status) {
  for (const std::string_view name :
       {"observedGeneration", "desiredCPU", "desiredMemory", "desiredGPU", "desiredTPU", "lastUpdateTime"}) {
    status = document::without_at(std::move(status), {name});
  }
  return status;
}

}  // namespace

bool all_run(const RayPods& pods) {
  return !pods.empty() && std::ranges::all_of(pods, [](const auto* pod) {
    const kube::Condition* ready = ready_condition(pod->view);
    return pod->view.status.phase == kube::PodPhase::kRunning && (ready == nullptr || ready->status == "True");
  });
}

Value ray_cluster_status(const watching::Observed<kube::RayCluster>& cluster, const RayLook& look, Instant now) {
  const Value* found = cluster.document.find("status");
  const Value before = found == nullptr ? Value(Object()) : *found;
  Conditions conditions(before, now);
  if (look.failed_pod != nullptr) {
    conditions.set(failure_condition(*look.failed_pod));
  } else if (!look.is_unsettled) {
    conditions.remove("ReplicaFailure");
  }
  set_conditions(conditions, cluster.view, look.pods);
  Value status = with_head(with_counts(before, cluster.view, look.pods), look);
  status = with_endpoints(with_desired_amounts(std::move(status), cluster.view, cluster.document), look.head_service);
  status = std::move(status).with("conditions", std::move(conditions).value());
  const std::string state = state_of(cluster.view, look);
  if (!state.empty() && state != cluster.view.status.state) {
    status = document::with_at(std::move(status), {"stateTransitionTimes", state}, Value(format_rfc3339(now)));
    status = std::move(status).with("state", Value(state));
  }
  if (found != nullptr && without_trifles(status) == without_trifles(before)) return before;
  return std::move(status)
      .with("observedGeneration", document::value_at(cluster.document, {"metadata", "generation"}))
      .with("lastUpdateTime", Value(format_rfc3339(now)));
}

}  // namespace loadline::operators

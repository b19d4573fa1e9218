#include "hosts/operators/kuberay/ray_cluster_status.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "brain/workloads/ray_cluster.h"
#include "foundation/document/at.h"
#include "objects/kube/workload_names.h"

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
  [[nodiscard]] Value value() && { return Value(std::move(all_)); }

 private:
  Array all_;
  Instant now_;
};

RayCondition head_condition(const RayPods& pods) {
  const auto head =
      std::ranges::find_if(pods, [](const auto* pod) { return is_of_type(pod->view, workloads::kRayHead); });
  if (head == pods.end()) return {"HeadPodReady", false, "HeadPodNotFound", "Head Pod not found"};
  const kube::Condition* ready = ready_condition((*head)->view);
  if (ready == nullptr) return {"HeadPodReady", false, "Unknown"};
  const bool is_true = ready->status == "True";
  return {"HeadPodReady", is_true, is_true ? "HeadPodRunningAndReady" : "ContainersNotReady"};
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

std::string state_of(const kube::RayCluster& cluster, const RayPods& pods) {
  if (cluster.spec.suspend) return pods.empty() ? "suspended" : cluster.status.state;
  std::int64_t desired = 1;
  for (const kube::RayWorkerGroup& group : cluster.spec.worker_groups) desired += workloads::wanted_workers(group);
  return static_cast<std::int64_t>(pods.size()) == desired && all_run(pods) ? "ready" : cluster.status.state;
}

Value with_head(Value status, const kube::RayCluster& cluster, const RayPods& pods) {
  Object head;
  for (const auto* pod : pods) {
    if (!is_of_type(pod->view, workloads::kRayHead)) continue;
    const std::string& ip = pod->view.status.pod_ip;
    if (!ip.empty()) head.push_back({"podIP", Value(ip), {}});
    head.push_back({"podName", Value(pod->metadata().name), {}});
    // The service of the head has no address of its own unless a type says so: then the head's stands for it.
    if (!ip.empty()) head.push_back({"serviceIP", Value(ip), {}});
    break;
  }
  head.push_back({"serviceName", Value(workloads::head_service_name(cluster)), {}});
  return std::move(status).with("head", Value(std::move(head)));
}

}  // namespace

bool all_run(const RayPods& pods) {
  return !pods.empty() && std::ranges::all_of(pods, [](const auto* pod) {
    const kube::Condition* ready = ready_condition(pod->view);
    return pod->view.status.phase == kube::PodPhase::kRunning && (ready == nullptr || ready->status == "True");
  });
}

Value ray_cluster_status(const controllers::Observed<kube::RayCluster>& cluster, const RayPods& pods, Instant now) {
  const Value* found = cluster.document.find("status");
  const Value before = found == nullptr ? Value(Object()) : *found;
  Conditions conditions(before, now);
  set_conditions(conditions, cluster.view, pods);
  Value status = with_head(with_counts(before, cluster.view, pods), cluster.view, pods);
  status = std::move(status).with("conditions", std::move(conditions).value());
  status =
      std::move(status).with("observedGeneration", document::value_at(cluster.document, {"metadata", "generation"}));
  const std::string state = state_of(cluster.view, pods);
  if (!state.empty() && state != cluster.view.status.state) {
    status = document::with_at(std::move(status), {"stateTransitionTimes", state}, Value(format_rfc3339(now)));
    status = std::move(status).with("state", Value(state));
  }
  return status == before ? before : std::move(status).with("lastUpdateTime", Value(format_rfc3339(now)));
}

}  // namespace loadline::operators

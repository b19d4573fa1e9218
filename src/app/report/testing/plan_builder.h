#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "hosts/simulator/plan.h"

namespace loadline::report::testing {

using Amounts = std::initializer_list<std::pair<const char*, const char*>>;

inline kube::ResourceList resources(Amounts amounts) {
  kube::ResourceList list;
  for (const auto& [name, amount] : amounts) list[name] = kube::Quantity::parse(amount).value();
  return list;
}

/// Makes plans by hand, with their sums: a pod with a node adds to what that node's pods request.
class PlanBuilder {
 public:
  PlanBuilder& node(const std::string& name, Amounts allocatable) {
    simulator::PlannedNode& node = plan_.nodes.emplace_back();
    node.name = name;
    node.allowed_pods = 110;
    for (const auto& [resource, amount] : resources(allocatable)) node.resources[resource].allocatable = amount;
    return *this;
  }

  PlanBuilder& pod(const std::string& kind, const std::string& workload, const std::string& name,
                   simulator::PodOutcome outcome, const std::string& node, Amounts requests) {
    simulator::PlannedPod& pod = plan_.pods.emplace_back();
    pod.name_space = "ml";
    pod.name = name;
    pod.workload = {kind, "ml", workload};
    pod.outcome = outcome;
    pod.node = node;
    pod.scheduler_name = "default-scheduler";
    pod.requests = resources(requests);
    if (outcome == simulator::PodOutcome::kPlaced || outcome == simulator::PodOutcome::kRunning) settle(pod);
    return *this;
  }

  /// The pod and the node added last, to set what is special about them.
  simulator::PlannedPod& last_pod() { return plan_.pods.back(); }
  simulator::PlannedNode& last_node() { return plan_.nodes.back(); }
  simulator::Plan& plan() { return plan_; }

 private:
  void settle(const simulator::PlannedPod& pod) {
    for (simulator::PlannedNode& node : plan_.nodes) {
      if (node.name != pod.node) continue;
      node.pods.push_back(plan_.pods.size() - 1);
      for (const auto& [resource, amount] : pod.requests) node.resources[resource].requested += amount;
    }
  }

  simulator::Plan plan_;
};

/// Two GPU machines and one without, a service that fits, a training job half of which does not, a notebook that had to
/// go, a pod over quota and one held by a gate.
inline simulator::Plan example_plan() {
  using simulator::PodOutcome;
  PlanBuilder builder;
  builder.node("cpu-1", {{"cpu", "16"}, {"memory", "64Gi"}});
  builder.node("gpu-1", {{"cpu", "32"}, {"memory", "256Gi"}, {"nvidia.com/gpu", "4"}});
  builder.last_node().taints = {"nvidia.com/gpu=present:NoSchedule"};
  builder.last_node().labels["node.kubernetes.io/instance-type"] = "g5.12xlarge";
  builder.node("gpu-2", {{"cpu", "32"}, {"memory", "256Gi"}, {"nvidia.com/gpu", "4"}});
  builder.last_node().unschedulable = true;
  builder.pod("Deployment", "web", "web-7c5d-aaaaa", PodOutcome::kPlaced, "cpu-1", {{"cpu", "2"}, {"memory", "4Gi"}});
  builder.pod("Deployment", "web", "web-7c5d-bbbbb", PodOutcome::kPlaced, "cpu-1", {{"cpu", "2"}, {"memory", "4Gi"}});
  builder.pod("Pod", "notebook", "notebook", PodOutcome::kPreempted, "gpu-1", {{"cpu", "4"}, {"nvidia.com/gpu", "1"}});
  builder.last_pod().preempted_by = "ml/train-0";
  builder.last_pod().message = "Preempted by pod train-0 on node gpu-1";
  builder.pod("StatefulSet", "cache", "cache-0", PodOutcome::kRunning, "gpu-2",
              {{"cpu", "1500m"}, {"memory", "2560Mi"}, {"nvidia.com/gpu", "1"}});
  builder.pod("Job", "train", "train-0", PodOutcome::kPlaced, "gpu-1", {{"cpu", "8"}, {"nvidia.com/gpu", "2"}});
  builder.last_pod().priority = 1000;
  builder.last_pod().after = Duration::seconds(30);
  for (const char* name : {"train-1", "train-2"}) {
    builder.pod("Job", "train", name, PodOutcome::kPending, "", {{"cpu", "8"}, {"nvidia.com/gpu", "4"}});
    builder.last_pod().priority = 1000;
    builder.last_pod().message =
        "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient nvidia.com/gpu. preemption: 0/3 nodes "
        "are "
        "available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.";
    builder.last_pod().reasons = {{2, "NodeResourcesFit", "Insufficient nvidia.com/gpu"},
                                  {1, "NodeUnschedulable", "node(s) were unschedulable"}};
  }
  for (const char* name : {"etl-9f8b-ccccc", "etl-9f8b-ddddd"}) {
    builder.pod("Deployment", "etl", name, PodOutcome::kRejected, "", {{"cpu", "8"}});
    builder.last_pod().message =
        std::string("pods \"") + name +
        "\" is forbidden: exceeded quota: compute, requested: cpu=8, used: cpu=14, limited: cpu=16";
  }
  builder.pod("Pod", "later", "later", PodOutcome::kGated, "", {{"cpu", "1"}});
  builder.last_pod().message = "Scheduling is blocked due to non-empty scheduling gates";
  builder.plan().events = {
      {Duration::seconds(0), "Pod ml/notebook", "Preempted", "Preempted by pod train-0 on node gpu-1"}};
  builder.plan().cycles = 9;
  return builder.plan();
}

}  // namespace loadline::report::testing

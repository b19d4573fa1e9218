#include "hosts/scheduler/live_expected_runs.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "brain/workloads/kinds.h"
#include "hosts/watching/followed_runs.h"

namespace loadline::scheduler {

using cluster::PodId;
using watching::Keys;
using workloads::WorkloadReference;

namespace {

constexpr std::string_view kManagedByKueue = "kueue.x-k8s.io/managed";

bool is_of_ending_kind(const WorkloadReference& workload) {
  bool is_known = false;
  workloads::for_each_ending_kind(
      [&]<class Kind>() { is_known = is_known || workloads::kind_name<Kind>() == workload.kind; });
  return is_known;
}

/// Nothing: the pod's controller runs for ever. A pod that Kueue manages by itself stands for itself.
std::optional<WorkloadReference> ending_controller_of(const kube::ObjectMeta& pod) {
  const kube::OwnerReference* controller = pod.controller();
  if (controller == nullptr) {
    if (!pod.labels.contains(kManagedByKueue)) return std::nullopt;
    return WorkloadReference{"Pod", pod.namespace_, pod.name};
  }
  WorkloadReference workload{std::string(workloads::kind_of(*controller)), pod.namespace_, controller->name};
  return is_of_ending_kind(workload) ? std::optional(std::move(workload)) : std::nullopt;
}

}  // namespace

LiveExpectedRuns::LiveExpectedRuns(watching::Subscriptions& subscriptions, cluster::Cluster& cluster,
                                   std::function<void()> changed)
    : cluster_(cluster), changed_(std::move(changed)) {
  watching::follow_expected_runs(subscriptions, runs_,
                                 [this](const WorkloadReference& workload, Keys&) { workload_changed(workload); });
}

void LiveExpectedRuns::follow(PodId pod, const kube::ObjectMeta& metadata) {
  if (cluster_.run_facts(pod).expected) return;
  const std::optional<WorkloadReference> controller = ending_controller_of(metadata);
  if (!controller) return;
  pods_[*controller].insert(pod);
  if (const std::optional<Duration> run = runs_.of(*controller)) cluster_.set_expected_run(pod, run);
}

void LiveExpectedRuns::forget(PodId pod, const kube::ObjectMeta& metadata) {
  const std::optional<WorkloadReference> controller = ending_controller_of(metadata);
  const auto found = controller ? pods_.find(*controller) : pods_.end();
  if (found == pods_.end()) return;
  found->second.erase(pod);
  if (found->second.empty()) pods_.erase(found);
}

void LiveExpectedRuns::workload_changed(const WorkloadReference& workload) {
  bool is_different = false;
  for (const WorkloadReference& controller : runs_.with_controlled(workload)) {
    const auto found = pods_.find(controller);
    if (found == pods_.end()) continue;
    const std::optional<Duration> run = runs_.of(controller);
    for (const PodId pod : found->second) {
      if (cluster_.run_facts(pod).expected == run) continue;
      cluster_.set_expected_run(pod, run);
      is_different = true;
    }
  }
  if (is_different) changed_();
}

}  // namespace loadline::scheduler

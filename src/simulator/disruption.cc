#include "simulator/disruption.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace loadline::simulator {

std::int64_t scaled_up(const kube::IntOrString& value, std::int64_t total) {
  if (value.integer) return *value.integer;
  const std::int64_t percent = std::strtoll(value.text.c_str(), nullptr, 10);
  return (percent * total + 99) / 100;
}

DisruptionController::DisruptionController(const kube::Objects& objects, cluster::Cluster& cluster)
    : budgets_(objects.pod_disruption_budgets), cluster_(cluster) {
  const auto scale = [&](const char* kind, const auto& controllers) {
    for (const auto& controller : controllers) {
      replicas_[{kind, controller.metadata.namespace_, controller.metadata.name}] = controller.replicas;
    }
  };
  scale("Deployment", objects.deployments);
  scale("ReplicaSet", objects.replica_sets);
  scale("StatefulSet", objects.stateful_sets);
  scale("ReplicationController", objects.replication_controllers);
  std::vector<cluster::DisruptionBudget> compiled;
  for (const kube::PodDisruptionBudget& budget : budgets_) {
    compiled.push_back(cluster::compile_budget(budget, budget.disruptions_allowed.value_or(0), cluster.symbols()));
  }
  cluster.change_belonging().set_budgets(std::move(compiled));
}

void DisruptionController::pod_created(cluster::PodId pod, const workloads::Workload& workload) {
  if (!budgets_.empty()) pods_.push_back({pod, workload});
}

void DisruptionController::pod_deleted(cluster::PodId pod) {
  std::erase_if(pods_, [&](const Guarded& guarded) { return guarded.pod == pod; });
}

void DisruptionController::update() {
  for (std::size_t i = 0; i < budgets_.size(); ++i) {
    if (budgets_[i].disruptions_allowed) continue;
    cluster_.allow_disruptions(i, allowed(i));
  }
}

std::optional<std::int64_t> DisruptionController::expected_scale(const std::vector<const Guarded*>& pods) const {
  std::set<workloads::Workload> seen;
  std::int64_t expected = 0;
  for (const Guarded* guarded : pods) {
    if (guarded->workload.kind == "Pod" || !seen.insert(guarded->workload).second) continue;
    const auto found = replicas_.find(guarded->workload);
    if (found == replicas_.end()) return std::nullopt;
    expected += found->second;
  }
  return expected;
}

std::int32_t DisruptionController::allowed(std::size_t index) const {
  const kube::PodDisruptionBudget& budget = budgets_[index];
  const cluster::DisruptionBudget& compiled = cluster_.belonging().budgets()[index];
  std::vector<const Guarded*> pods;
  std::int64_t healthy = 0;
  for (const Guarded& guarded : pods_) {
    const cluster::PodShape& shape = cluster_.shape_of(guarded.pod);
    if (shape.name_space != compiled.name_space) continue;
    if (!compiled.selector.matches(shape.labels, cluster_.symbols())) continue;
    pods.push_back(&guarded);
    const cluster::PodRecord& record = cluster_.pod(guarded.pod);
    if (record.node.valid() && !record.terminating) ++healthy;
  }
  if (!budget.min_available && !budget.max_unavailable) return 0;
  auto expected = static_cast<std::int64_t>(pods.size());
  const bool whole_minimum = budget.min_available && budget.min_available->integer;
  if (!whole_minimum) {
    const auto scale = expected_scale(pods);
    if (!scale) return 0;
    expected = *scale;
  }
  std::int64_t desired = 0;
  if (budget.max_unavailable) {
    desired = std::max<std::int64_t>(expected - scaled_up(*budget.max_unavailable, expected), 0);
  } else if (budget.min_available) {
    desired = scaled_up(*budget.min_available, expected);
  }
  return expected <= 0 ? 0 : static_cast<std::int32_t>(std::max<std::int64_t>(healthy - desired, 0));
}

}  // namespace loadline::simulator

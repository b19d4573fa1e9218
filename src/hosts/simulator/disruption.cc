#include "hosts/simulator/disruption.h"

#include <set>

#include "brain/workloads/kinds.h"
#include "objects/kube/condition.h"

namespace loadline::simulator {
namespace {

bool known_not_ready(const kube::Pod& pod) {
  const kube::Condition* ready = kube::find_condition(pod.status.conditions, "Ready");
  return ready != nullptr && ready->status != "True";
}

std::string title(const kube::PodDisruptionBudget& budget) {
  return budget.metadata.namespace_ + '/' + budget.metadata.name;
}

}  // namespace

DisruptionController::DisruptionController(const kube::Objects& objects, cluster::Cluster& cluster)
    : budgets_(objects.of<kube::PodDisruptionBudget>()), cluster_(cluster) {
  workloads::for_each_kind([&]<class Kind>() {
    if constexpr (requires(Kind controller) { controller.replicas; }) {
      for (const Kind& controller : objects.of<Kind>()) {
        const kube::ObjectMeta& metadata = controller.metadata;
        replicas_[{std::string(workloads::kind_name<Kind>()), metadata.namespace_, metadata.name}] =
            controller.replicas;
      }
    }
  });
  std::vector<cluster::DisruptionBudget> compiled;
  compiled.reserve(budgets_.size());
  for (const kube::PodDisruptionBudget& budget : budgets_) {
    compiled.push_back(cluster::compile_budget(budget, budget.disruptions_allowed.value_or(0), cluster.symbols()));
  }
  cluster.set_budgets(std::move(compiled));
}

void DisruptionController::pod_created(cluster::PodId id, const kube::Pod& pod,
                                       const workloads::WorkloadReference& workload) {
  if (!budgets_.empty()) pods_.push_back({id, workload, !known_not_ready(pod)});
}

void DisruptionController::pod_deleted(cluster::PodId pod) {
  std::erase_if(pods_, [&](const Guarded& guarded) { return guarded.pod == pod; });
}

void DisruptionController::update() {
  for (std::size_t i = 0; i < budgets_.size(); ++i) {
    if (budgets_[i].disruptions_allowed) continue;
    cluster_.allow_disruptions(i, count(i).allowed());
  }
}

std::optional<std::int64_t> DisruptionController::expected_scale(const std::vector<const Guarded*>& pods) const {
  std::set<workloads::WorkloadReference> seen;
  std::int64_t expected = 0;
  for (const Guarded* guarded : pods) {
    if (guarded->workload.kind == "Pod" || !seen.insert(guarded->workload).second) continue;
    const auto found = replicas_.find(guarded->workload);
    if (found == replicas_.end()) return std::nullopt;
    expected += found->second;
  }
  return expected;
}

workloads::DisruptionCount DisruptionController::count(std::size_t index) const {
  const kube::PodDisruptionBudget& budget = budgets_[index];
  const cluster::DisruptionBudget& compiled = cluster_.budgets()[index];
  std::vector<const Guarded*> pods;
  std::int64_t healthy = 0;
  for (const Guarded& guarded : pods_) {
    const cluster::PodShape& shape = cluster_.shape_of(guarded.pod);
    if (shape.name_space != compiled.name_space) continue;
    if (!compiled.selector.matches(shape.labels, cluster_.symbols())) continue;
    pods.push_back(&guarded);
    const cluster::PodRecord& record = cluster_.pod(guarded.pod);
    if (guarded.ready && record.node.valid() && !record.terminating) ++healthy;
  }
  return workloads::count_disruptions(budget, static_cast<std::int64_t>(pods.size()), healthy,
                                      [&] { return expected_scale(pods); });
}

std::optional<std::string> DisruptionController::forbids_eviction(cluster::PodId pod) const {
  return forbids_evictions({&pod, 1});
}

std::optional<std::string> DisruptionController::forbids_evictions(std::span<const cluster::PodId> pods) const {
  std::map<std::size_t, std::int64_t> disruptions;  // by budget
  for (const cluster::PodId pod : pods) {
    const std::vector<std::size_t> budgets = covering(pod);
    if (budgets.size() > 1) {
      return "the pod has more than one PodDisruptionBudget (" + title(budgets_[budgets[0]]) + ", " +
             title(budgets_[budgets[1]]) + "), which the eviction API does not support";
    }
    if (!budgets.empty()) ++disruptions[budgets.front()];
  }
  for (const auto& [budget, count] : disruptions) {
    if (std::optional<std::string> why = forbids(budget, count)) return why;
  }
  return std::nullopt;
}

/// The budgets that count the pod.
std::vector<std::size_t> DisruptionController::covering(cluster::PodId pod) const {
  const cluster::PodShape& shape = cluster_.shape_of(pod);
  std::vector<std::size_t> covering;
  for (std::size_t i = 0; i < budgets_.size(); ++i) {
    const cluster::DisruptionBudget& compiled = cluster_.budgets()[i];
    if (shape.name_space != compiled.name_space) continue;
    if (compiled.selector.matches(shape.labels, cluster_.symbols())) covering.push_back(i);
  }
  return covering;
}

/// Why the budget does not let so many pods go; nothing if it does.
std::optional<std::string> DisruptionController::forbids(std::size_t index, std::int64_t pods) const {
  const kube::PodDisruptionBudget& budget = budgets_[index];
  const std::string name = "PodDisruptionBudget " + title(budget);
  const auto too_many = [&](std::int64_t allowed) {
    return name + " allows " + std::to_string(allowed) + " of " + std::to_string(pods) + " disruptions";
  };
  if (budget.disruptions_allowed) {
    if (*budget.disruptions_allowed >= pods) return std::nullopt;
    return *budget.disruptions_allowed > 0 ? too_many(*budget.disruptions_allowed) : name + " allows no disruption";
  }
  const workloads::DisruptionCount count = this->count(index);
  if (count.allowed() >= pods) return std::nullopt;
  if (count.allowed() > 0) return too_many(count.allowed());
  if (!count.countable) return name + " allows no disruption: not every pod it covers has a controller with replicas";
  return name + " needs " + std::to_string(count.desired) + (count.desired == 1 ? " healthy pod" : " healthy pods") +
         " and has " + std::to_string(count.healthy);
}

}  // namespace loadline::simulator

#include "hosts/simulator/disruption.h"

#include <set>

#include "brain/workloads/kinds.h"
#include "hosts/simulator/bound_pods.h"
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
  if (!budgets_.empty()) pods_[id] = {workload, !known_not_ready(pod), is_pending_on_its_node(pod)};
}

void DisruptionController::pod_deleted(cluster::PodId pod) { pods_.erase(pod); }

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
  for (const auto& [pod, guarded] : pods_) {
    const cluster::PodShape& shape = cluster_.shape_of(pod);
    if (shape.name_space != compiled.name_space) continue;
    if (!compiled.selector.matches(shape.labels, cluster_.symbols())) continue;
    pods.push_back(&guarded);
    const cluster::PodRecord& record = cluster_.pod(pod);
    if (guarded.ready && record.node.valid() && !record.terminating) ++healthy;
  }
  return workloads::count_disruptions(budget, static_cast<std::int64_t>(pods.size()), healthy,
                                      [&] { return expected_scale(pods); });
}

std::optional<std::string> DisruptionController::forbids_eviction(cluster::PodId pod) const {
  return forbids_evictions({&pod, 1});
}

std::optional<std::string> DisruptionController::forbids_evictions(std::span<const cluster::PodId> pods) const {
  if (budgets_.empty()) return std::nullopt;
  std::vector<kube::CoveredPod> covered;
  covered.reserve(pods.size());
  for (const cluster::PodId pod : pods) covered.push_back({to_evict(pod), covering(pod)});
  const auto answer = kube::answer_eviction(covered, [&](std::size_t budget) { return state_of(budget); });
  if (answer) return std::nullopt;
  return told(answer.error(), pods, covered);
}

std::string DisruptionController::told(const kube::EvictionRefusal& refusal, std::span<const cluster::PodId> pods,
                                       std::span<const kube::CoveredPod> covered) const {
  kube::RefusalNames names;
  if (refusal.reason != kube::EvictionRefusal::Reason::kSeveralBudgets) {
    names.budgets = {title(budgets_[refusal.budget])};
    return kube::refusal_text(refusal, names, state_of(refusal.budget));
  }
  if (pods.size() > 1) names.pod = "pod " + cluster_.pod_text(pods[refusal.pod]);
  for (const std::size_t budget : covered[refusal.pod].budgets) names.budgets.push_back(title(budgets_[budget]));
  return kube::refusal_text(refusal, names);
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

kube::PodToEvict DisruptionController::to_evict(cluster::PodId pod) const {
  const cluster::PodRecord& record = cluster_.pod(pod);
  kube::PodToEvict result{.is_being_deleted = record.terminating};
  const auto guarded = pods_.find(pod);
  const bool is_known = guarded != pods_.end();
  if (!record.node.valid() || (is_known && guarded->second.pending)) result.phase = kube::PodPhase::kPending;
  if (is_known) result.is_ready = guarded->second.ready;
  return result;
}

kube::BudgetState DisruptionController::state_of(std::size_t index) const {
  const kube::PodDisruptionBudget& budget = budgets_[index];
  if (budget.disruptions_allowed) return kube::budget_state(budget);
  const workloads::DisruptionCount count = this->count(index);
  kube::BudgetState state{
      .allowed = count.allowed(), .current_healthy = count.healthy, .desired_healthy = count.desired};
  state.is_countable = count.countable;
  if (budget.unhealthy_pod_eviction_policy) state.policy = *budget.unhealthy_pod_eviction_policy;
  return state;
}

}  // namespace loadline::simulator

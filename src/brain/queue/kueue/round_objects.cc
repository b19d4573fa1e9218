#include "brain/queue/kueue/round_objects.h"

#include <algorithm>
#include <vector>

#include "foundation/base/contract.h"

namespace loadline::queue::kueue {
namespace {

/// Of `count` pods, what `of_all` is of all of the set's.
std::int64_t scaled(std::int64_t of_all, std::int32_t all, std::int32_t count) {
  if (all == count) return of_all;
  return all == 0 ? 0 : of_all / all * count;
}

kube::PodSetAssignment assignment_of(const KueueScheduler& scheduler, const PodSetDemand& demand,
                                     const PodSetAssignment& given) {
  const SymbolTable& symbols = scheduler.quotas().tree().symbols();
  kube::PodSetAssignment it;
  it.name = demand.name;
  it.count = given.count;
  for (const ResourceAmount& request : demand.requests) {
    const std::string_view resource = symbols.text(request.resource);
    const std::int64_t amount = scaled(request.amount, demand.count, given.count);
    it.resource_usage.emplace(resource, quantity_of(resource, amount));
  }
  for (const FlavorChoice& choice : given.choices) {
    const std::string_view resource = symbols.text(choice.resource);
    it.flavors.emplace(resource, symbols.text(scheduler.flavors().name(choice.flavor)));
    it.resource_usage.insert_or_assign(std::string(resource), quantity_of(resource, choice.amount));
  }
  return it;
}

}  // namespace

kube::Quantity quantity_of(std::string_view resource, std::int64_t amount) {
  if (resource == "cpu") return kube::Quantity::of_milli(amount);
  const bool is_binary = resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
  return kube::Quantity::of(amount, is_binary ? kube::Quantity::Format::kBinarySI : kube::Quantity::Format::kDecimalSI);
}

kube::WorkloadAdmission admission_of(const KueueScheduler& scheduler, const Decision& decision) {
  REQUIRES(decision.code == Decision::Code::kAdmitted);
  return admission_by(scheduler, decision);
}

kube::WorkloadAdmission admission_by(const KueueScheduler& scheduler, const Decision& decision) {
  const Workload& workload = scheduler.workloads().at(decision.workload);
  kube::WorkloadAdmission admission;
  admission.cluster_queue = scheduler.quotas().tree().name(workload.queue);
  for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
    const auto given = std::ranges::find(decision.assignment.pod_sets, i, &PodSetAssignment::pod_set);
    REQUIRES(given != decision.assignment.pod_sets.end());
    admission.pod_set_assignments.push_back(assignment_of(scheduler, workload.pod_sets[i], *given));
  }
  return admission;
}

std::set<std::string> required_checks(const KueueScheduler& scheduler, const Decision& decision) {
  const Workload& workload = scheduler.workloads().at(decision.workload);
  std::vector<FlavorId> flavors;
  for (const PodSetAdmission& set : workload.admission) {
    for (const auto& [resource, flavor] : set.flavors) flavors.push_back(flavor);
  }
  std::vector<std::string> checks = scheduler.queues().checks_for(workload.queue, flavors);
  return {checks.begin(), checks.end()};
}

}  // namespace loadline::queue::kueue

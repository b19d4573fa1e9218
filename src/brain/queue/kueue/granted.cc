#include "brain/queue/kueue/granted.h"

#include <string_view>

#include "foundation/base/contract.h"

namespace loadline::queue::kueue {
namespace {

/// The demand is of `demand.count` pods; admitted may be fewer.
std::int64_t usage_of(const PodSetDemand& demand, Symbol resource, std::int32_t count) {
  for (const ResourceAmount& request : demand.requests) {
    if (request.resource == resource) return demand.count == 0 ? 0 : request.amount / demand.count * count;
  }
  return 0;
}

}  // namespace

kube::Quantity quantity_of(std::string_view resource, std::int64_t amount) {
  if (resource == "cpu") return kube::Quantity::of_milli(amount);
  const bool is_of_bytes =
      resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
  return kube::Quantity::of(amount,
                            is_of_bytes ? kube::Quantity::Format::kBinarySI : kube::Quantity::Format::kDecimalSI);
}

kube::WorkloadAdmission granted(const KueueScheduler& scheduler, WorkloadId id) {
  const Workload& workload = scheduler.workloads().at(id);
  REQUIRES(workload.has_quota);
  const SymbolTable& symbols = scheduler.quotas().tree().symbols();
  kube::WorkloadAdmission admission;
  admission.cluster_queue = scheduler.queues().at(workload.queue).object.metadata.name;
  for (std::size_t i = 0; i < workload.admission.size(); ++i) {
    const PodSetAdmission& given = workload.admission[i];
    const PodSetDemand& demand = workload.pod_sets[i];
    kube::PodSetAssignment& set = admission.pod_set_assignments.emplace_back();
    set.name = demand.name;
    set.count = given.count;
    for (const auto& [resource, flavor] : given.flavors) {
      const std::string name(symbols.text(resource));
      set.flavors[name] = symbols.text(scheduler.flavors().name(flavor));
      std::int64_t amount = usage_of(demand, resource, given.count);
      if (name == "pods") amount = given.count;
      set.resource_usage[name] = quantity_of(name, amount);
    }
  }
  return admission;
}

}  // namespace loadline::queue::kueue

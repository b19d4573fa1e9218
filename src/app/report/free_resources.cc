#include "app/report/free_resources.h"

#include <algorithm>
#include <map>

#include "objects/kube/gpu_resource.h"

namespace loadline::report {
namespace {

int rank_gpus_first(const std::string& resource) {
  if (kube::is_gpu_resource(resource)) return 0;
  if (resource == "cpu") return 1;
  return resource == "memory" ? 2 : 3;
}

void add(const simulator::Plan& plan, FreeAmount FreeChange::* side, std::map<std::string, FreeChange>& changes) {
  for (const simulator::PlannedNode& node : plan.nodes) {
    if (node.unschedulable) continue;
    for (const auto& [name, amounts] : node.resources) {
      if (name == "pods") continue;
      FreeAmount& amount = changes[name].*side;
      amount.allocatable += amounts.allocatable;
      if (amounts.requested < amounts.allocatable) amount.free += amounts.allocatable - amounts.requested;
    }
  }
}

}  // namespace

std::vector<FreeChange> free_changes(const simulator::Plan& before, const simulator::Plan& after) {
  std::map<std::string, FreeChange> changes;
  add(before, &FreeChange::before, changes);
  add(after, &FreeChange::after, changes);
  std::vector<FreeChange> result;
  for (auto& [name, change] : changes) {
    change.resource = name;
    const bool had_any = !change.before.allocatable.is_zero() || !change.after.allocatable.is_zero();
    if (had_any && (rank_gpus_first(name) < 3 || change.differs())) result.push_back(change);
  }
  std::ranges::stable_sort(result, {}, [](const FreeChange& change) { return rank_gpus_first(change.resource); });
  return result;
}

}  // namespace loadline::report

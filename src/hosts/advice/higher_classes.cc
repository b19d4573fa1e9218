#include "hosts/advice/higher_classes.h"

#include <algorithm>

#include "hosts/advice/obstacle_edits.h"
#include "objects/kube/scheduling/priority_class.h"

namespace loadline::advice {
namespace {

constexpr std::size_t kMostClasses = 4;

}  // namespace

std::vector<UntriedRemedy> higher_classes(const kube::Objects& objects, std::int32_t priority) {
  std::vector<const kube::PriorityClass*> classes;
  for (const kube::PriorityClass& each : objects.of<kube::PriorityClass>()) {
    const bool preempts = each.preemption_policy.value_or(kube::PreemptionPolicy::kPreemptLowerPriority) ==
                          kube::PreemptionPolicy::kPreemptLowerPriority;
    if (each.value > priority && preempts && !each.metadata.name.starts_with("system-")) classes.push_back(&each);
  }
  std::ranges::stable_sort(classes, {}, [](const kube::PriorityClass* each) { return each->value; });
  if (classes.size() > kMostClasses) classes.resize(kMostClasses);
  std::vector<UntriedRemedy> candidates;
  for (const kube::PriorityClass* each : classes) {
    const Edit edit = UsePriorityClass{each->metadata.name, each->value, each->preemption_policy};
    candidates.push_back({{edit}, {}, cost_of(edit)});
  }
  return candidates;
}

}  // namespace loadline::advice

#include "brain/queue/kueue/assignment.h"

#include <algorithm>

namespace loadline::queue::kueue {

std::vector<QuotaCellId> Assignment::contested() const {
  std::vector<QuotaCellId> cells;
  for (const PodSetAssignment& set : pod_sets) {
    for (const FlavorChoice& choice : set.choices) {
      if (choice.mode == AssignmentMode::kPreempt) cells.push_back(choice.cell);
    }
  }
  std::ranges::sort(cells);
  cells.erase(std::ranges::unique(cells).begin(), cells.end());
  return cells;
}

std::vector<QuotaUse> Assignment::requests() const {
  std::vector<QuotaUse> uses;
  for (const QuotaUse& use : usage) {
    if (use.amount != Amount()) uses.push_back(use);
  }
  return uses;
}

std::vector<PodSetAdmission> Assignment::admission() const {
  std::vector<PodSetAdmission> sets(pod_sets.size());
  for (const PodSetAssignment& set : pod_sets) {
    PodSetAdmission& it = sets[set.pod_set];
    it.count = set.count;
    it.flavors.reserve(set.choices.size());
    for (const FlavorChoice& choice : set.choices) it.flavors.emplace_back(choice.resource, choice.flavor);
  }
  return sets;
}

}  // namespace loadline::queue::kueue

#pragma once

#include <string>
#include <vector>

#include "hosts/simulator/plan.h"
#include "objects/kube/scalars.h"

namespace loadline::report {

/// What the nodes that take pods (those that are not cordoned) have of a resource, and how much of it is free.
struct FreeAmount {
  kube::Quantity allocatable;
  kube::Quantity free;  ///< Σ over those nodes of max(0, allocatable − requested)
};

struct FreeChange {
  std::string resource;
  FreeAmount before;
  FreeAmount after;

  [[nodiscard]] bool differs() const { return before.free != after.free || before.allocatable != after.allocatable; }
};

/// GPUs first, by name, then cpu and memory, then what else differs. O(nodes × resources).
std::vector<FreeChange> free_changes(const simulator::Plan& before, const simulator::Plan& after);

}  // namespace loadline::report

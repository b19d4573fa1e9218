#pragma once

#include <string>
#include <vector>

#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// One term of podAffinity or podAntiAffinity, and where it stands.
struct PlacedTerm {
  const kube::PodAffinityTerm* term = nullptr;
  std::string path;  ///< in the object
  bool required = false;
  bool anti = false;
};

/// All terms of the workload's pods, as written.
[[nodiscard]] std::vector<PlacedTerm> affinity_terms(const JudgedWorkload& workload);

}  // namespace loadline::advice::lint

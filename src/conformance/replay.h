#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "conformance/recorded_case.h"

namespace loadline::conformance {

/// Where our decision differs from the recorded one.
struct Divergence {
  std::string case_name;
  int attempt = 0;
  std::string pod;
  std::string what;  ///< "feasible nodes", "scores of PodTopologySpread on n03", "message", …
  std::string expected;
  std::string actual;

  [[nodiscard]] std::string to_string() const;
};

struct Replay {
  std::size_t attempts = 0;
  std::vector<Divergence> divergences;
};

/// Walks the recorded attempts in order: before each, the cluster is as the real scheduler saw it; our decision is
/// compared in full (feasible set, reasons, every plugin's score, best nodes, message, preemption candidates), then the
/// recorded one is applied, so that a tie broken the other way never makes the runs drift apart. Errors: the case is
/// inconsistent (an unknown pod or node).
Result<Replay> replay(const RecordedCase& recorded);

}  // namespace loadline::conformance

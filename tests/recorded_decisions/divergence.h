#pragma once

#include <string>

namespace loadline::recorded_decisions {

/// Where our decision differs from the recorded one.
struct Divergence {
  std::string case_name;
  int attempt = 0;
  std::string pod;
  std::string what;  ///< "feasible nodes", "score of PodTopologySpread for n03", "message", "incremental counter 2", …
  std::string expected;
  std::string actual;

  [[nodiscard]] std::string to_string() const;
};

}  // namespace loadline::recorded_decisions

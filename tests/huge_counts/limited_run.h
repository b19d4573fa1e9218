#pragma once

#include <string>
#include <vector>

namespace loadline::huge_counts {

/// How a run under a limit ended.
struct LimitedRun {
  std::string out;
  std::string err;
  int status = -1;  ///< -1: it did not end by itself
  int signal = 0;   ///< that ended it
  double seconds = 0;
};

/// Runs the program with 2 GB of address space and a minute of time.
LimitedRun run_limited(const std::vector<std::string>& words);

}  // namespace loadline::huge_counts

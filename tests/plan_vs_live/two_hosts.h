#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plan_vs_live/scenario.h"

namespace loadline::plan_vs_live {

/// What the scheduler decided, a line a decision, and where the pods were in the end ("" for none).
struct Outcome {
  std::vector<std::string> decisions;
  std::map<std::string, std::string> nodes;  ///< by pod
};

/// What both hosts made of a scenario. Each saw the same objects at the same time.
struct TwoOutcomes {
  Outcome plan;
  Outcome cluster;
  std::vector<std::string> problems;  ///< what should not have happened at all
};

/// Lets a cluster live in virtual time with its running pods, stops what controls it while the others arrive, and takes
/// a snapshot. From there `plan` goes one way, and the cluster, started again, the other.
TwoOutcomes run_in_both(const Scenario& scenario, std::uint64_t seed);

}  // namespace loadline::plan_vs_live

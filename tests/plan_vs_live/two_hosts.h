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

/// Runs a cluster in virtual time with its running pods, stops its controllers and scheduler while the other pods
/// arrive, and takes a snapshot. `plan` decides from that snapshot, and so does the cluster once it is started again.
TwoOutcomes run_in_both(const Scenario& scenario, std::uint64_t seed);

}  // namespace loadline::plan_vs_live

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace loadline::plan_vs_live {

/// A cluster and the pods that come to it, as manifests; equal seeds, equal manifests.
struct Scenario {
  std::vector<std::string> nodes;
  std::vector<std::string> surroundings;  ///< classes, services, budgets
  std::vector<std::string> running;       ///< pods that have their nodes
  std::vector<std::string> arrivals;
};

/// Small and crowded, so that much of what comes has to wait, to be fitted in, or to push others out: priorities,
/// taints, cordons, affinity in both directions, spreading, host ports, gates, budgets, another scheduler's pods.
///
/// No two pods have the same grace period, so that no two victims leave in the same instant: what a scheduler sees of
/// departures in one instant depends on the order of watch events.
Scenario make_scenario(std::uint64_t seed);

}  // namespace loadline::plan_vs_live

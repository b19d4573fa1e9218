#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/planning_options.h"

namespace loadline::cli {

/// What the user asks of `loadline replay`.
struct ReplayArguments {
  std::string trace;           ///< a file, or "-"
  PlanningArguments planning;  ///< files, configuration, policy, manners
  std::vector<std::string> nodes;
  std::string shares = "whole";
  double fill = 0;  ///< 0: the trace's own times
  std::string until;
  std::string every = "1h";
  std::uint64_t seed = 0;
  double noise = 0;
  std::size_t runs = 1;
  std::vector<std::string> vary;
  std::size_t threads = 0;  ///< 0: as many as there are cores
  std::string metrics;
  std::string events;
  std::string html;
  std::string output = "table";
  bool check = false;
};

}  // namespace loadline::cli

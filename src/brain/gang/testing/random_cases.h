#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "brain/cluster/testing/seeds.h"

namespace loadline::gang::testing {

/// Runs the cases of the seeds, and tells what came of them.
template <class Case>
void run_cases(std::string_view name, int cases, Case&& one) {
  using cluster::testing::number_of;
  const auto first = static_cast<std::uint64_t>(number_of("LOADLINE_GROUP_SEARCH_FIRST_CASE", 0));
  const auto wanted = static_cast<std::uint64_t>(number_of("LOADLINE_GROUP_SEARCH_CASES", cases));
  std::map<std::string, std::uint64_t> endings;
  std::uint64_t steps = 0;
  for (std::uint64_t seed = first; seed < first + wanted; ++seed) {
    SCOPED_TRACE("LOADLINE_GROUP_SEARCH_CASES=1 LOADLINE_GROUP_SEARCH_FIRST_CASE=" + std::to_string(seed));
    const auto [ending, taken] = one(seed);
    ++endings[ending];
    steps = std::max(steps, taken);
    if (::testing::Test::HasFailure()) return;
  }
  std::cout << name << ": " << wanted << " cases";
  for (const auto& [ending, count] : endings) std::cout << ", " << count << ' ' << ending;
  std::cout << "; at most " << steps << " steps\n";
}

using Told = std::pair<std::string, std::uint64_t>;  // how it ended, and how many steps it took

}  // namespace loadline::gang::testing

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace loadline::gang::testing {

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Runs the cases of the seeds, and tells what came of them.
template <class Case>
void run_cases(std::string_view name, std::uint64_t cases, Case&& one) {
  const std::uint64_t first = number_from("LOADLINE_GROUP_SEARCH_FIRST_CASE", 0);
  const std::uint64_t wanted = number_from("LOADLINE_GROUP_SEARCH_CASES", cases);
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

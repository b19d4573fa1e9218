#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace loadline::bench {

using Clock = std::chrono::steady_clock;

/// What a run of one workload took.
struct Measurement {
  std::size_t placed = 0;                 ///< measured pods that found a node
  std::size_t unplaced = 0;               ///< measured pods that did not, or were not tried before the time was up
  std::chrono::nanoseconds elapsed{0};    ///< from the first measured pod to the last decision
  std::vector<std::int64_t> decisions{};  ///< nanoseconds each, in order

  [[nodiscard]] double pods_per_second() const;
  /// The time that `share` of the decisions did not exceed, in microseconds. Reorders `decisions`.
  std::optional<double> percentile_us(double share);
};

}  // namespace loadline::bench

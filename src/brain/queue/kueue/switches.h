#pragma once

#include <cstdint>

namespace loadline::queue::kueue {

/// What a workload needs to be admitted.
enum class Admission : std::uint8_t {
  kFeasible,  ///< quota, and nodes for all its pods, which are held for them until they are there
  kQuota,     ///< quota
};

/// Where Kueue's queues may decide otherwise than Kueue. Its names, words and sources stand in engine/policy.cc.
struct Switches {
  Admission admission = Admission::kFeasible;

  friend bool operator==(const Switches&, const Switches&) = default;
};

}  // namespace loadline::queue::kueue

#pragma once

#include <cstdint>

namespace loadline::queue::kueue {

/// What a workload needs to be admitted.
enum class Admission : std::uint8_t {
  kFeasible,  ///< quota, and nodes for all its pods, which are held for them until they are there
  kQuota,     ///< quota
};

/// What becomes of preemptions that repeat each other.
enum class RepeatedPreemption : std::uint8_t {
  kRefused,     ///< see PreemptionHistory
  kAsUpstream,  ///< nothing is remembered of them
};

/// Where Kueue's queues may decide otherwise than Kueue. Its names, words and sources stand in engine/policy.cc.
struct Switches {
  Admission admission = Admission::kFeasible;
  RepeatedPreemption repeated_preemption = RepeatedPreemption::kRefused;

  friend bool operator==(const Switches&, const Switches&) = default;
};

}  // namespace loadline::queue::kueue

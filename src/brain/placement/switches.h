#pragma once

#include <cstdint>

namespace loadline::placement {

/// How many feasible nodes are scored where the configuration does not say (percentageOfNodesToScore).
enum class NodesToScore : std::uint8_t { kAll, kAdaptive };

/// On how many nodes preemption is tried before the best of the candidates is taken.
enum class PreemptionCandidates : std::uint8_t {
  kAll,
  kAllRemembered,  ///< on all if dry runs are remembered (DryRunMemory), else as kAsConfigured
  kAsConfigured,   ///< as minCandidateNodesPercentage and minCandidateNodesAbsolute say
};

/// What becomes of an extender that did not answer a few calls in a row.
enum class SilentExtenders : std::uint8_t { kLeaveAlone, kAskAgain };

/// What the policy decides for all profiles alike. Its names, words and sources stand in engine/policy.cc.
struct Switches {
  NodesToScore nodes_to_score = NodesToScore::kAll;
  PreemptionCandidates preemption_candidates = PreemptionCandidates::kAllRemembered;
  SilentExtenders silent_extenders = SilentExtenders::kLeaveAlone;

  friend bool operator==(const Switches&, const Switches&) = default;
};

}  // namespace loadline::placement

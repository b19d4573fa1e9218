#pragma once

#include <cstddef>

#include "hosts/advice/explanation.h"
#include "hosts/simulator/planning.h"

namespace loadline::advice {

/// How suggestions are tried.
enum class Trying : std::uint8_t {
  kByPlan,       ///< each is put into the input and the plan made anew
  kByScheduler,  ///< the scheduler is asked, where it can tell; for plans too large to be made again and again
};

/// Which of the two suits a plan of that many pods.
[[nodiscard]] Trying trying_for(std::size_t pods);

/// Why the pod `subject` of the plan is where it is, or has no node, and the cheapest ways to change that. Every
/// suggestion was tried and works, see Suggestion::proof; but with kByScheduler, fewer replicas are suggested untried.
/// Suggestions are ordered by what they ask of people; those that harm no other workload and place all of the
/// workload's pods come first. A member of a pod group that waits is told what stops the group, and only what lets the
/// group start is suggested. Nothing about the plan changes.
/// Cost: O(nodes × filters), and some dozens of decisions, or some plans.
Explanation explain(simulator::Planning& planning, std::size_t subject, Trying trying);

}  // namespace loadline::advice

#pragma once

#include <string>
#include <vector>

#include "hosts/advice/explanation.h"

namespace loadline::report {

/// What comes of a suggestion, in sentences: "All 4 pods have a node then; this one goes to t4-b."
std::string outcome_text(const advice::Suggestion& suggestion, const advice::Explanation& explanation);

/// How suggestions were tried: "each tried by planning anew"; empty if there are none.
std::string trial_text(const std::vector<advice::Suggestion>& suggestions);

/// Why there are no suggestions, and what to do instead; empty: they were tried.
std::string not_tried_text(const advice::Explanation& explanation);

/// Whether preemption could help the pod, and if not, why; empty for pods that have a node or were never considered.
std::string preemption_text(const advice::Explanation& explanation);

/// "2 nvidia.com/gpu, 16 cpu, 64Gi memory": what the pod requests, devices first; empty if nothing.
std::string requests_text(const simulator::PlannedPod& pod);

/// Which of its claims wait for a default StorageClass; empty: none.
std::string unclassed_text(const advice::Explanation& explanation);

}  // namespace loadline::report

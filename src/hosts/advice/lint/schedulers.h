#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// Pods whose schedulerName is no profile's.
void check_schedulers_exist(const LintInput& input, Findings& findings);
/// Profiles that promise to pack by their name, and score as if to spread.
void check_packing_profiles(const LintInput& input, Findings& findings);
/// Profiles that pack by cpu and memory in a cluster whose nodes have GPUs.
void check_packing_counts_gpus(const LintInput& input, Findings& findings);
/// Templates that name their node, which no scheduler then judges.
void check_node_names(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

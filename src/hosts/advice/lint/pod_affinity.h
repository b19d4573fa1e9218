#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// Required pod affinity to pods that do not exist: the pod waits for them.
void check_affinity_targets(const LintInput& input, Findings& findings);
/// Anti-affinity, and preferred affinity, that selects no pod, not even the workload's own.
void check_terms_without_pods(const LintInput& input, Findings& findings);
/// Required pod affinity only to pods of lower priority, which may be preempted from under it.
void check_priority_inversion(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// PodDisruptionBudgets that never allow a disruption: a drain of a node waits for them forever.
void check_budgets_allow(const LintInput& input, Findings& findings);
/// PodDisruptionBudgets that guard nothing.
void check_budgets_guard(const LintInput& input, Findings& findings);
/// Pods that two budgets guard: the eviction API refuses to evict them at all.
void check_budgets_overlap(const LintInput& input, Findings& findings);
/// Services that no pod is behind.
void check_services(const LintInput& input, Findings& findings);
/// Controllers of one namespace whose selectors match each other's pods.
void check_selectors_apart(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

// Workloads that no node of the cluster could ever run, even if it were empty. The scheduler says that none would; each
// rule names the cause that is its own, so a workload is reported by one of them.

/// Node selectors and required node affinity that no node satisfies: which label, and what nodes have instead.
void check_selectors(const LintInput& input, Findings& findings);
/// Requests larger than any node, or than any node that the selector allows.
void check_requests(const LintInput& input, Findings& findings);
/// Extended resources that no node offers.
void check_resources_exist(const LintInput& input, Findings& findings);
/// Nodes that would do, all of them tainted.
void check_taints(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

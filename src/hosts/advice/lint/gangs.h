#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// Jobs of Volcano that its webhook refuses.
void check_volcano_jobs(const LintInput& input, Findings& findings);

/// PodCliqueSets that Grove's webhook refuses.
void check_pod_clique_sets(const LintInput& input, Findings& findings);

/// PodCliqueSets whose cliques name others to start after, in an order that does not ask.
void check_clique_orders(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// Spread constraints whose selector does not match the pods they stand on: they count others, and spread nothing.
void check_spread_selectors(const LintInput& input, Findings& findings);
/// Spread constraints over domains of which only one has nodes that the pods could run on.
void check_spread_domains(const LintInput& input, Findings& findings);
/// Topology keys, of spread constraints and of pod affinity, that no node has.
void check_topology_keys(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

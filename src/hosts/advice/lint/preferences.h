#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// Preferred node affinity that no node meets which could run the pods, or that all of them meet: it decides nothing.
void check_preferences(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// Tolerations that cover no taint of the cluster and are nearly one that would.
void check_toleration_spelling(const LintInput& input, Findings& findings);
/// Pods without GPUs that tolerate every taint, and so may fill the GPU nodes.
void check_tolerates_everything(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

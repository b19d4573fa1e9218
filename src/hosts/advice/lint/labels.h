#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// Selectors of nodes by labels and annotations that Kubernetes no longer uses.
void check_retired_labels(const LintInput& input, Findings& findings);
/// Objects in a namespace that is not declared, and is nearly one that is.
void check_namespaces(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

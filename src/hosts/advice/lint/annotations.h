#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// Annotations and labels about runs, of pods and of workloads that end, that cannot be read.
void check_run_annotations(const LintInput& input, Findings& findings);

/// Annotations with which pods ask for a topology that cannot be read, or lack their other half.
void check_topology_annotations(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// Workloads in queues of other projects about which no plan decides.
void check_queues(const LintInput& input, Findings& findings);

/// Names by which workloads, LocalQueues and ClusterQueues of Kueue lead to objects that are not there.
void check_queues_are_there(const LintInput& input, Findings& findings);

/// Kueue's queues on objects that they do not hold.
void check_queues_hold(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

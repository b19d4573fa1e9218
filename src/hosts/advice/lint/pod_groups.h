#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

// Groups in all words that pods have for them: brain/cluster/spellings.

/// Rule pod-group-missing: pods of a PodGroup that no object in the input describes, or, where pods do that, none. If
/// the cluster, or something in the input, may have made it: only a name that is nearly one of those there are.
void check_pod_groups_exist(const LintInput& input, Findings& findings);

/// Rule pod-group-lacks-pods: a gang whose minCount is above the pods that name it. Silent where other pods may.
void check_pod_group_members(const LintInput& input, Findings& findings);

/// Rule pod-groups-contradict: pods that name groups of different names, in the words of different projects.
void check_pod_group_names(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

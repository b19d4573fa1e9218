#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// Rule minimum-counts-later-pods: a minimum that the pods which are created first cannot reach, since it counts pods
/// that are created once those run: a Volcano Job's task with dependsOn, an MPIJob's launcher that waits for its
/// workers. Volcano's scheduler waits for all of them (volcano-sh/volcano#2944), and so nothing starts; here they count
/// once they are there.
void check_minimums_of_later_pods(const LintInput& input, Findings& findings);

/// Rule role-without-label: pods of a PodGroup of Volcano whose role stands in the annotation volcano.sh/task-spec
/// alone, where Volcano looks first; here the label counts, so the minimum of the role is never met.
void check_role_labels(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// Pods that name a PriorityClass that does not exist: the API server refuses them. Groups that do: they count with the
/// priority of their pods.
void check_classes_exist(const LintInput& input, Findings& findings);
/// More than one PriorityClass marked globalDefault.
void check_single_default(const LintInput& input, Findings& findings);
/// A global default that is higher than a class whose name promises importance ("production", "training-high"): pods
/// that name no class outrank pods that name that one.
void check_default_rank(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

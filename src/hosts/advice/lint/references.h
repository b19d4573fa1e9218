#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// Rule runtime-class-missing: pods of a RuntimeClass that does not exist. Silent where the input does not show the
/// cluster's classes, except about what is nearly one of those there are. And pods that their class refuses.
void check_runtime_classes(const LintInput& input, Findings& findings);

/// Rule service-account-missing: pods of a ServiceAccount that does not exist. Silent where the input does not show the
/// accounts of the namespace, except about what is nearly one of those there are.
void check_service_accounts(const LintInput& input, Findings& findings);

/// Rule pod-template-refused: templates in custom resources, which their definitions take, of which the API server
/// refuses the pods.
void check_pod_templates(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

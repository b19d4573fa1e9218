#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// Workloads that do not fit into a quota of their namespace even if nothing else is charged to it.
void check_quota_room(const LintInput& input, Findings& findings);
/// Templates without the requests or limits that a quota of their namespace insists on.
void check_quota_demands(const LintInput& input, Findings& findings);
/// Lines of a quota that limit nothing, since Kubernetes counts the resource under another name.
void check_quota_names(const LintInput& input, Findings& findings);
/// Quotas whose scopes no pod can be in: they exclude each other, or name only classes that do not exist.
void check_quota_scopes(const LintInput& input, Findings& findings);
/// Templates that a LimitRange of their namespace refuses.
void check_limit_ranges(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

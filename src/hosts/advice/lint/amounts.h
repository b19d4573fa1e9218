#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// Memory and storage of less than a mebibyte: nearly always a slip of the unit, "512m" for 512Mi.
void check_memory_units(const LintInput& input, Findings& findings);
/// Containers without a memory limit. Asked by name only: many clusters want it, many do not.
void check_memory_limits(const LintInput& input, Findings& findings);
/// Containers that request neither cpu nor memory. Asked by name only.
void check_requests_given(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

// More replicas than an empty cluster holds. The scheduler places them one after the other; each rule names what kept
// the next one out.

void check_anti_affinity_room(const LintInput& input, Findings& findings);
void check_host_port_room(const LintInput& input, Findings& findings);
void check_spread_room(const LintInput& input, Findings& findings);
void check_resource_room(const LintInput& input, Findings& findings);

/// Deployments whose replicas fill all the room there is, and whose rolling update removes no pod before the new one
/// is ready: it waits forever.
void check_rollout_room(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// Rule ray-replicas-out-of-bounds: a group of workers whose replicas are above its most or below its least, or whose
/// least is above its most. Silent about 0 replicas, which is what a definition fills in.
void check_ray_replicas(const LintInput& input, Findings& findings);

/// Rule ray-head-takes-gpus: a head with GPUs in a cluster that has workers. Silent about a head alone.
void check_ray_heads(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

#pragma once

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// Rule jobset-remakes-jobs: a replicated job whose Jobs are removed once they have ended. The JobSet makes them anew,
/// which run again. Source: kubernetes-sigs/jobset v0.12.0, pkg/controllers: Jobs that are missing are created.
void check_job_set_jobs(const LintInput& input, Findings& findings);

/// Rule rendezvous-without-service: pods that are to find each other by names for which there is no headless Service: a
/// StatefulSet's serviceName, a PyTorchJob's rdzvHost, the coordinator of a JobSet without DNS names. Silent about a
/// Service that may be elsewhere, and about a StatefulSet unless one of nearly that name is there.
void check_rendezvous(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint

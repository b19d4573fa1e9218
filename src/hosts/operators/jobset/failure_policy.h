#pragma once

#include <vector>

#include "hosts/operators/jobset/status_draft.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/jobset/job_set.h"

namespace loadline::operators {

using JobList = std::vector<const watching::Observed<kube::Job>*>;

/// What follows from the failure of those Jobs: the JobSet fails, or its Jobs run again.
/// REQUIRES: there is one, and all of them failed.
/// Source: executeFailurePolicy in pkg/controllers/failure_policy.go, jobset v0.12.0.
void apply_failure_policy(const kube::JobSet& set, const JobList& failed, StatusDraft& draft);

}  // namespace loadline::operators

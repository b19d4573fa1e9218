#pragma once

#include <string>

#include "objects/kube/scalars.h"
#include "objects/kube/volcano/volcano_job.h"

namespace loadline::workloads {

/// What Volcano's webhook has against a new Job, in its words: numbers of pods, names, plugins, dependencies. What it
/// says of policies, volumes, templates and queues is left out. REQUIRES: defaults are set.
/// Source: volcano.sh/volcano v1.15.1, pkg/webhooks/admission/jobs/validate.
[[nodiscard]] kube::FieldErrors refusals_of(const kube::VolcanoJob& job);

/// What it has against the change of a Job; empty: nothing. What else but numbers may not change is not looked at.
[[nodiscard]] std::string update_refusal(const kube::VolcanoJob& job);

}  // namespace loadline::workloads

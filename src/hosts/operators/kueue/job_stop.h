#pragma once

#include <string_view>
#include <vector>

#include "foundation/document/value.h"
#include "hosts/watching/action.h"
#include "objects/kube/batch/batch.h"

namespace loadline::operators::kueue {

/// "true": a Job is being stopped, and not all that has to be done for it is.
inline constexpr std::string_view kStopping = "kueue.x-k8s.io/stopping";

[[nodiscard]] bool is_being_stopped(const kube::ObjectMeta& job);

/// A Job is stopped in three steps, since its template is fixed as long as it has a start time: it is suspended and
/// marked, forgets when it started, and gets back what it was (`after`) without the mark.
/// Source: Kueue v0.19.2, Stop() in pkg/controller/jobs/job/job_controller.go.
[[nodiscard]] std::vector<watching::Action> stop_of_job(const watching::Observed<kube::Job>& job,
                                                        const document::Value& after);

/// The parallelism and completions of the other, where it says some.
[[nodiscard]] document::Value with_counts_of_job(document::Value job, const kube::Job& other);

}  // namespace loadline::operators::kueue

#pragma once

#include <string>
#include <string_view>

#include "foundation/document/value.h"
#include "objects/kube/ray/ray_job.h"

namespace loadline::operators {

// What is wrong with a RayJob, in KubeRay's words; empty: nothing.
// Source: utils/validation.go and pkg/webhooks/v1/rayjob_webhook.go, kuberay v1.6.2.

[[nodiscard]] std::string ray_job_name_problem(std::string_view name);

/// With its spec. Such a job is kept, and fails. `spec` is its document, and the annotations are the job's.
[[nodiscard]] std::string ray_job_spec_problem(const kube::RayJobSpec& view, const document::Value& spec,
                                               const kube::StringMap& annotations);

/// With a RayCronJob's spec: it is kept, and makes nothing. `spec` is its document.
[[nodiscard]] std::string ray_cron_job_spec_problem(const kube::RayCronJobSpec& view, const document::Value& spec);

/// Why the webhook refuses the job.
[[nodiscard]] std::string ray_job_refusal(const document::Value& job);

}  // namespace loadline::operators

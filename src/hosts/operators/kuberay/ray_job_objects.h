#pragma once

#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "foundation/document/value.h"
#include "hosts/watching/object.h"
#include "objects/kube/ray/ray_job.h"

namespace loadline::operators {

// The objects that a RayJob is made into, as documents.
// Sources: rayjob_controller.go and common/job.go in ray-operator/controllers/ray, kuberay v1.6.2.

/// The spec of a job as KubeRay writes it: pod templates completed.
[[nodiscard]] document::Value ray_job_spec_as_written(document::Value spec);

/// A job that is to be submitted.
struct RaySubmission {
  const watching::Observed<kube::RayJob>& job;
  std::string job_id;
  std::string dashboard;  ///< where Ray is asked: "llm-head-svc.default.svc.cluster.local:8265"; empty: not known yet
};

/// The RayCluster of that name; of a job that a container of its head submits, with that container. An error: what the
/// job says cannot be submitted.
[[nodiscard]] Result<document::Value> ray_cluster_of_job(const RaySubmission& submission, const std::string& name);

/// The Job that submits it to that cluster. An error: as above.
[[nodiscard]] Result<document::Value> ray_submitter_job(const RaySubmission& submission,
                                                        const kube::RayClusterSpec& cluster);

/// The service by which users find the head of whichever cluster the job has.
[[nodiscard]] document::Value ray_service_of_job(const kube::RayJob& job, const kube::RayCluster& view,
                                                 const document::Value& cluster);

/// "ray job submit … -- python train.py ;": for a container of the head, or for a Job that may come twice.
[[nodiscard]] Result<std::string> ray_submit_command(const RaySubmission& submission, bool is_sidecar);

}  // namespace loadline::operators

#pragma once

#include <string>

#include "hosts/controllers/controller.h"
#include "hosts/operators/kuberay/ray_job_objects.h"
#include "objects/kube/ray/ray_cluster.h"
#include "objects/kube/ray/ray_job.h"

namespace loadline::operators {

// What is made for a RayJob. Nothing is made in a namespace that ends. Source: rayjob_controller.go, kuberay v1.6.2.

/// The job's cluster, which has that name. Null: it was not there; unless another was to make it, it is made.
[[nodiscard]] watching::ObjectPtr<kube::RayCluster> find_or_create_ray_cluster(const RaySubmission& submission,
                                                                               const std::string& name,
                                                                               const controllers::Context& context,
                                                                               watching::Reconciliation& result);

/// Where the service of the cluster's head offers the dashboard; empty: nowhere yet.
[[nodiscard]] std::string ray_dashboard_of(const watching::Observed<kube::RayCluster>& cluster,
                                           const controllers::Context& context);

/// Makes the Job that submits it to that cluster, unless it is there. False: what the job says cannot be submitted.
[[nodiscard]] bool create_ray_submitter(const RaySubmission& submission, const kube::RayClusterSpec& cluster,
                                        const controllers::Context& context, watching::Reconciliation& result);

/// Makes the service by which users find the job's cluster, or points it to this one when the job has another.
void keep_ray_service(const watching::Observed<kube::RayJob>& job, const watching::Observed<kube::RayCluster>& cluster,
                      const controllers::Context& context, watching::Reconciliation& result);

}  // namespace loadline::operators

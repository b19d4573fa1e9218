#pragma once

#include "hosts/controllers/controller.h"
#include "objects/kube/ray/ray_job.h"

namespace loadline::operators {

// What goes when a RayJob no longer needs it. Source: rayjob_controller.go, kuberay v1.6.2.

/// Removes the cluster that was made for the job, and says so. True: there is none, or it is another's.
bool remove_ray_cluster(const watching::Observed<kube::RayJob>& job, const controllers::Context& context,
                        watching::Reconciliation& result);

/// Removes the Job that submitted it. True: there is none.
bool remove_ray_submitter(const watching::Observed<kube::RayJob>& job, const controllers::Context& context,
                          watching::Reconciliation& result);

/// Of a job that is over: shutdownAfterJobFinishes, deletionStrategy.
[[nodiscard]] watching::Reconciliation clean_up_ray_job(const watching::Observed<kube::RayJob>& job,
                                                        const controllers::Context& context);

}  // namespace loadline::operators

#pragma once

#include <string_view>

#include "objects/kube/batch/batch.h"
#include "objects/kube/jobset/job_set.h"
#include "objects/kube/kubeflow/training_job.h"
#include "objects/kube/ray/ray_cluster.h"
#include "objects/kube/ray/ray_job.h"

namespace loadline::queue::kueue {

// Kinds of jobs that Kueue holds by a field of theirs, and starts by it.

/// How Kueue knows a kind of job.
struct JobKind {
  std::string_view framework;     ///< as `integrations.frameworks` has it: "batch/job"
  std::string_view api_version;   ///< of the kind as owner of its Workload
  std::string_view suspend_path;  ///< the field that holds it, below the object: "spec.suspend"
};

template <class Kind>
inline constexpr JobKind kJobKind = {};  // of other kinds
template <>
inline constexpr JobKind kJobKind<kube::Job> = {"batch/job", "batch/v1", "spec.suspend"};
template <>
inline constexpr JobKind kJobKind<kube::JobSet> = {"jobset.x-k8s.io/jobset", "jobset.x-k8s.io/v1alpha2",
                                                   "spec.suspend"};
template <>
inline constexpr JobKind kJobKind<kube::PyTorchJob> = {"kubeflow.org/pytorchjob", "kubeflow.org/v1",
                                                       "spec.runPolicy.suspend"};
template <>
inline constexpr JobKind kJobKind<kube::TensorFlowJob> = {"kubeflow.org/tfjob", "kubeflow.org/v1",
                                                          "spec.runPolicy.suspend"};
template <>
inline constexpr JobKind kJobKind<kube::XgBoostJob> = {"kubeflow.org/xgboostjob", "kubeflow.org/v1",
                                                       "spec.runPolicy.suspend"};
template <>
inline constexpr JobKind kJobKind<kube::PaddleJob> = {"kubeflow.org/paddlejob", "kubeflow.org/v1",
                                                      "spec.runPolicy.suspend"};
template <>
inline constexpr JobKind kJobKind<kube::JaxJob> = {"kubeflow.org/jaxjob", "kubeflow.org/v1", "spec.runPolicy.suspend"};
template <>
inline constexpr JobKind kJobKind<kube::MpiJob> = {"kubeflow.org/mpijob", "kubeflow.org/v2beta1",
                                                   "spec.runPolicy.suspend"};
template <>
inline constexpr JobKind kJobKind<kube::RayCluster> = {"ray.io/raycluster", "ray.io/v1", "spec.suspend"};
template <>
inline constexpr JobKind kJobKind<kube::RayJob> = {"ray.io/rayjob", "ray.io/v1", "spec.suspend"};

/// Whether it is one of them.
template <class Kind>
inline constexpr bool kIsJobKind = !kJobKind<Kind>.framework.empty();

/// Calls `visit.operator()<Kind>()` for each of these kinds, those that make objects of others first: a RayJob makes a
/// RayCluster and a Job, a JobSet makes Jobs.
template <class Visit>
void for_each_job_kind(Visit visit) {
  const auto visit_each = [&]<class... Kinds>() { (visit.template operator()<Kinds>(), ...); };
  visit_each.template operator()<kube::RayJob, kube::RayCluster, kube::JobSet, kube::PyTorchJob, kube::TensorFlowJob,
                                 kube::XgBoostJob, kube::PaddleJob, kube::JaxJob, kube::MpiJob, kube::Job>();
}

/// The field that holds a job back, to be set.
template <class Kind>
[[nodiscard]] bool& suspend_of(Kind& job) {
  if constexpr (requires { job.spec.run_policy.suspend; }) {
    return job.spec.run_policy.suspend;
  } else if constexpr (requires { job.spec.suspend; }) {
    return job.spec.suspend;
  } else {
    return job.suspend;
  }
}

}  // namespace loadline::queue::kueue

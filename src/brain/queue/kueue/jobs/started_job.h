#pragma once

#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "brain/queue/kueue/jobs/job_kinds.h"
#include "brain/queue/kueue/jobs/pod_set_info.h"
#include "brain/queue/kueue/jobs/pod_sets.h"
#include "brain/workloads/pod_set.h"
#include "brain/workloads/ray_job.h"
#include "foundation/base/result.h"
#include "objects/kube/scalars.h"

namespace loadline::queue::kueue {

// A job as Kueue starts it, and as it stops it. Source: Kueue v0.19.2, RunWithPodSetsInfo() and RestorePodSetsInfo() in
// pkg/controller/jobs.

/// As many pods as it was admitted with, if it may start with fewer.
void set_parallelism(kube::Job& job, std::int32_t count);

/// The templates that the sets of the job's Workload are made of, to be changed, each with the name of its set.
template <class Kind>
[[nodiscard]] std::vector<std::pair<std::string, kube::PodTemplateSpec*>> templates_in(Kind& job) {
  if constexpr (std::is_same_v<Kind, kube::RayJob>) {
    if (job.spec.cluster && workloads::has_submitter_job(job.spec) && !job.spec.submitter_template) {
      job.spec.submitter_template = workloads::submitter_of(job, *job.spec.cluster).spec.template_;
    }
  }
  std::vector<std::pair<std::string, kube::PodTemplateSpec*>> templates;
  for (const workloads::PodSet& set : workloads::pod_sets(job)) {
    // They are parts of the job, which is ours to change.
    templates.emplace_back(set.role.empty() ? "main" : kube::lower_case(set.role),
                           const_cast<kube::PodTemplateSpec*>(set.pod_template));
  }
  return templates;
}

/// The job, no longer held, with what its pods get. Errors: its templates contradict that; other sets are told of.
template <class Kind>
[[nodiscard]] Result<Kind> started(Kind job, std::span<const PodSetInfo> infos) {
  suspend_of(job) = false;
  const auto templates = templates_in(job);
  if (templates.size() != infos.size()) {
    return failure("invalid podset infos: expecting " + std::to_string(templates.size()) + " podset, got " +
                   std::to_string(infos.size()));
  }
  if constexpr (std::is_same_v<Kind, kube::Job>) set_parallelism(job, infos.front().count);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    Result<kube::PodTemplateSpec> changed = merged(*templates[i].second, infos[i]);
    if (!changed) return tl::unexpected(changed.error());
    *templates[i].second = std::move(*changed);
  }
  return job;
}

/// The job, held, as it was before it started.
template <class Kind>
[[nodiscard]] Kind stopped(Kind job, const kube::KueueWorkload& workload) {
  suspend_of(job) = true;
  const auto templates = templates_in(job);
  if (templates.size() != workload.pod_sets.size()) return job;
  if constexpr (std::is_same_v<Kind, kube::Job>) set_parallelism(job, workload.pod_sets.front().count);
  for (std::size_t i = 0; i < templates.size(); ++i) {
    *templates[i].second = restored(*templates[i].second, workload.pod_sets[i]);
  }
  return job;
}

}  // namespace loadline::queue::kueue

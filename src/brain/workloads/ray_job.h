#pragma once

#include <string>
#include <string_view>

#include "brain/workloads/pod_draft.h"
#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/ray/ray_job.h"

namespace loadline::workloads {

// A RayJob of KubeRay makes a RayCluster `<job>-<5 characters>`, or uses one that is there, and has a job submitted to
// it: by a Job of its own name (K8sJobMode), by a container of the head (SidecarMode), by KubeRay (HTTPMode), or by
// somebody else (InteractiveMode). The Job is made once the cluster is ready.
// A RayCronJob makes a RayJob `<cron job>-<5 characters>` for each of its runs.
// Source: kuberay v1.6.2, ray-operator/controllers/ray/{rayjob_controller,raycronjob_controller,common/job}.go.

inline constexpr std::string_view kRaySubmitter = "submitter";

// How a job is submitted.
inline constexpr std::string_view kJobMode = "K8sJobMode";
inline constexpr std::string_view kSidecarMode = "SidecarMode";
inline constexpr std::string_view kHttpMode = "HTTPMode";
inline constexpr std::string_view kInteractiveMode = "InteractiveMode";

/// In which of these ways: by a Job, unless it says otherwise.
[[nodiscard]] std::string_view submission_mode(const kube::RayJobSpec& job);

/// Why KubeRay makes nothing of the job, in its words; empty: it does.
[[nodiscard]] std::string problem_of(const kube::RayJobSpec& job);

/// Whether the job is over, and nothing is made for it any more.
[[nodiscard]] bool is_over(const kube::RayJobStatus& status);

/// Whether a Job submits it.
[[nodiscard]] bool has_submitter_job(const kube::RayJobSpec& job);

/// The container that submits the job, as KubeRay writes it, but for its command.
[[nodiscard]] document::Value submitter_container(const kube::RayClusterSpec& cluster);

/// The cluster that is made for the job. REQUIRES: it has a cluster's spec.
[[nodiscard]] kube::RayCluster cluster_of(const kube::RayJob& job, std::string name);

/// The Job that submits it to that cluster.
[[nodiscard]] kube::Job submitter_of(const kube::RayJob& job, const kube::RayClusterSpec& cluster);

/// What the RayJob of a run gets; its name is drawn from `<cron job>-`.
[[nodiscard]] ObjectDraft run_draft(const kube::RayCronJob& cron_job, Instant at);

}  // namespace loadline::workloads

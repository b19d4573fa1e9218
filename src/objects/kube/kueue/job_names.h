#pragma once

#include <string_view>

namespace loadline::kube {

// Labels, annotations, gates and finalizers by which Kueue and what it queues know each other. Source: Kueue v0.19.2,
// pkg/constants, pkg/controller/constants.

/// A label of jobs, pods and groups of pods: the LocalQueue that they wait in.
inline constexpr std::string_view kQueueName = "kueue.x-k8s.io/queue-name";
/// A label of a job: its WorkloadPriorityClass.
inline constexpr std::string_view kWorkloadPriorityClassLabel = "kueue.x-k8s.io/priority-class";
/// A label of a job: the Workload that stands for it, which somebody else made.
inline constexpr std::string_view kPrebuiltWorkloadName = "kueue.x-k8s.io/prebuilt-workload-name";
/// A label of a Workload: the uid of its job.
inline constexpr std::string_view kJobUid = "kueue.x-k8s.io/job-uid";
/// A finalizer of a Workload: its job may still run.
inline constexpr std::string_view kResourceInUse = "kueue.x-k8s.io/resource-in-use";

// What pods get when their job starts: labels, and an annotation that names the Workload.
inline constexpr std::string_view kPodSetLabel = "kueue.x-k8s.io/podset";
inline constexpr std::string_view kClusterQueueNameLabel = "kueue.x-k8s.io/cluster-queue-name";
inline constexpr std::string_view kLocalQueueNameLabel = "kueue.x-k8s.io/local-queue-name";
inline constexpr std::string_view kWorkloadAnnotation = "kueue.x-k8s.io/workload";

// Annotations of a Job that starts with fewer pods if there is no quota for all of them: with how many at least, and
// whether "true" its completions are as many as the pods that it starts with.
inline constexpr std::string_view kJobMinParallelism = "kueue.x-k8s.io/job-min-parallelism";
inline constexpr std::string_view kJobCompletionsEqualParallelism = "kueue.x-k8s.io/job-completions-equal-parallelism";

/// The scheduling gate of pods that wait in a queue by themselves.
inline constexpr std::string_view kAdmissionGate = "kueue.x-k8s.io/admission";
/// A label of pods that are one workload together, and an annotation of each: how many they are.
inline constexpr std::string_view kPodGroupName = "kueue.x-k8s.io/pod-group-name";
inline constexpr std::string_view kPodGroupTotalCount = "kueue.x-k8s.io/pod-group-total-count";

// Annotations of a Workload that an object made for a group of its pods: which object, and which group of several.
inline constexpr std::string_view kJobOwnerGvk = "kueue.x-k8s.io/job-owner-gvk";
inline constexpr std::string_view kJobOwnerName = "kueue.x-k8s.io/job-owner-name";
inline constexpr std::string_view kComponentWorkloadIndex = "kueue.x-k8s.io/component-workload-index";

}  // namespace loadline::kube

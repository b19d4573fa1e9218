#pragma once

#include <cstdint>

#include "brain/workloads/expansion.h"
#include "objects/kube/objects.h"

namespace loadline::workloads {

// Workloads that are of use only as a whole: JobSets, the groups of LeaderWorkerSets, training jobs of Kubeflow, Ray
// clusters. Their operators make no groups that kube-scheduler knows.
// Example: JobSet train of two Jobs of 4 pods → PodGroup jobset-train with minCount 8, which its 8 pods name.

enum class WholeWorkloads : std::uint8_t {
  kThatAsk,  ///< those of Kubeflow with a runPolicy.schedulingPolicy, of Ray with the label
             ///< ray.io/gang-scheduling-enabled
  kAll,
};

/// Makes a PodGroup of the pods of each of these workloads that start whole, into `expansion.made`, and has the pods
/// name it. Pods that name a group already are left alone, and so are workloads that have pods: they have begun without
/// one. All pods are needed, unless a schedulingPolicy says minAvailable. O(pods).
void group_whole_workloads(const kube::Objects& objects, WholeWorkloads which, Expansion& expansion);

}  // namespace loadline::workloads

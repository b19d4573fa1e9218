#pragma once

#include <optional>
#include <string_view>

#include "brain/cluster/spellings/group_description.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/kueue/job_names.h"

namespace loadline::cluster::spellings {

/// The label of a pod that names its group. It counts beside the label of a queue only.
inline constexpr std::string_view kKueueLabel = kube::kPodGroupName;
inline constexpr std::string_view kKueueQueueLabel = kube::kQueueName;
inline constexpr std::string_view kKueueTotal = kube::kPodGroupTotalCount;

/// What a pod of a group of Kueue says of it: it starts whole, close together as the annotations
/// kueue.x-k8s.io/podset-{required,preferred}-topology and podset-slice-{required-topology,size} ask. Nothing: the
/// annotation with the total is not there, or is no number. Source: kubernetes-sigs/kueue,
/// pkg/controller/jobs/pod, groupTotalCount.
[[nodiscard]] std::optional<GroupDescription> describe_by_kueue(const kube::ObjectMeta& pod);

}  // namespace loadline::cluster::spellings

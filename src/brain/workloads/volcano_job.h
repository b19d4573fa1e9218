#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brain/cluster/spellings/later_parts.h"
#include "brain/workloads/pod_draft.h"
#include "objects/kube/volcano/pod_group.h"
#include "objects/kube/volcano/volcano_job.h"

namespace loadline::workloads {

// The pods of Volcano's Jobs: for each task so many replicas, `<job>-<task>-<index>`. A pod that is there under its
// name is not made again. A task that depends on others gets its pods once as many of theirs run as they need at least.
// Example: "mpi" with the tasks "master" (1) and "worker" (2): mpi-master-0, mpi-worker-0, mpi-worker-1.
// Kubernetes has Jobs, too: here, Volcano's are of the kind "VolcanoJob" (kind_names.h).
// Source: volcano.sh/volcano v1.15.1, pkg/controllers/job.

/// "mpi-worker-1".
[[nodiscard]] std::string replica_name(const kube::VolcanoJob& job, const kube::VolcanoTask& task, std::int64_t index);

/// 1 of "mpi-worker-1", if that is the name of a replica of the task; else nothing.
[[nodiscard]] std::optional<std::int64_t> replica_index(const kube::VolcanoJob& job, const kube::VolcanoTask& task,
                                                        std::string_view pod);

/// The PodGroup of the Job's pods; `uid`: the Job's.
[[nodiscard]] std::string pod_group_name(const kube::VolcanoJob& job, std::string_view uid);

/// The PodGroup that Volcano's controller makes of the Job, with a word on what comes later. Source:
/// createOrUpdatePodGroup, pkg/controllers/job/job_controller_actions.go.
[[nodiscard]] kube::VolcanoPodGroup pod_group_of(const kube::VolcanoJob& job, std::string_view uid);

/// Which tasks get their pods once those run that they depend on, with how much of the Job's minimum each has.
[[nodiscard]] std::vector<cluster::spellings::WrittenPart> later_tasks(const kube::VolcanoJob& job);

/// How many pods of the task have to run for those that depend on it.
[[nodiscard]] std::int32_t least_available(const kube::VolcanoTask& task);

/// Whether the Job is over, or was stopped: Completed, Failed, Terminated, Aborted, and on the way there.
[[nodiscard]] bool is_finished(const kube::VolcanoJob& job);

/// What all pods of the task get. `uid`: the Job's.
[[nodiscard]] PodDraft shared_draft(const kube::VolcanoJob& job, const kube::VolcanoTask& task, std::string_view uid);

/// What the replica of an index gets besides.
[[nodiscard]] PodDraft replica_draft(const kube::VolcanoJob& job, const kube::VolcanoTask& task, std::int64_t index);

}  // namespace loadline::workloads

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "brain/workloads/index_intervals.h"
#include "brain/workloads/pod_draft.h"
#include "objects/kube/batch/batch.h"

namespace loadline::workloads {

// A Job's pods: alike, or told apart by completion indexes.
//
// How many run at once: no more than the parallelism, nor than what remains to succeed; none while it is suspended.
// Without completions one success is enough: what runs goes on, and nothing new begins.
// Which: the first indexes for which nothing runs and nothing is settled, `<job>-<index>-<5 characters>`.
// Example: parallelism 4, completions 8; 0, 2 and 3 have succeeded, 4 runs: 1, 5 and 6 are missing.
// Source: manageJob and indexed_job_utils.go in pkg/controller/job, v1.36.

/// The condition by which a Job is over, Complete or Failed; null: it is not.
[[nodiscard]] const kube::JobCondition* finished_condition(const kube::Job& job);

/// Where a Job stands, as its host counts: a controller by the Job's status and the finalizers of its pods, a plan by
/// the pods that it was given.
struct JobProgress {
  std::int64_t active = 0;
  std::int64_t terminating = 0;  ///< of those that must be gone before others take their places
  std::int64_t succeeded = 0;    ///< pods; of an indexed Job, indexes
};

/// The most pods that run at once, suspended or not.
[[nodiscard]] std::int64_t pods_at_once(const kube::JobSpec& spec);

/// How many pods should run now.
[[nodiscard]] std::int64_t wanted_pods(const kube::JobSpec& spec, const JobProgress& progress);

/// How many pods are to be created; below zero: to be deleted.
[[nodiscard]] std::int64_t missing_pods(const kube::JobSpec& spec, const JobProgress& progress);

/// The first indexes that get the next `count` pods. `settled`: those that run, have succeeded, or have failed for
/// good.
[[nodiscard]] std::vector<std::int64_t> missing_indexes(const kube::JobSpec& spec, const IndexIntervals& settled,
                                                        std::int64_t count);

/// What all pods of the Job get.
[[nodiscard]] PodDraft shared_draft(const kube::Job& job);

/// What the pod of an index gets besides.
[[nodiscard]] PodDraft indexed_draft(const kube::Job& job, std::int64_t index);

/// The completion index of a pod of an indexed Job; nothing if its annotation is not there, or no index.
[[nodiscard]] std::optional<std::int64_t> completion_index(const kube::ObjectMeta& pod);

}  // namespace loadline::workloads

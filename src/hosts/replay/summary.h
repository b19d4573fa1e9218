#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "foundation/base/time.h"

namespace loadline::replay {

/// Seconds, or plain numbers, of which percentiles are asked. A percentile is the smallest value that so many are at
/// most (nearest rank), so it is one of them.
struct Distribution {
  std::size_t count = 0;
  double mean = 0;
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double max = 0;
};

/// O(n log n); sorts `values`.
Distribution distribution_of(std::vector<double>& values);

/// What became of the works of a class, or of all.
struct WorkSummary {
  std::size_t arrived = 0;
  std::size_t started = 0;          ///< all their pods ran at one time
  std::size_t ended = 0;            ///< ran their time
  std::size_t deleted = 0;          ///< by their owners, after they had started
  std::size_t deleted_in_line = 0;  ///< before
  std::size_t running_at_end = 0;
  std::size_t pending_at_end = 0;  ///< some of their pods wait, whether they have run before or not
  Distribution waiting;            ///< seconds from arrival to the first start, of those that started
  Distribution completion;  ///< seconds from arrival to the end, of those that ended or were deleted after they started
  /// (waiting + run) / max(run, 10 s), at least 1, of those that ended. Source: bounded slowdown, Feitelson 2001.
  Distribution slowdown;
};

struct AllocationPoint {
  int arrived_percent = 0;   ///< GPUs that have been asked for, in percent of those there are
  double allocated = 0;      ///< share of all GPUs, mean over the arrivals of this percent
  double fragmentation = 0;  ///< share of all GPUs, at the first arrival of this percent
};

/// Planned starts, of works that waited for their first start and had one meanwhile.
struct PromiseSummary {
  std::size_t settled = 0;  ///< of works that have started
  std::size_t kept = 0;     ///< that started when they were first promised to, or earlier
  Distribution error;       ///< seconds from the first promised start to the start; negative: earlier
};

/// What a ClusterQueue has of one resource of a flavor, in its unit, and uses in the mean over the whole replay.
struct QueueQuota {
  std::string flavor;
  std::string resource;
  double nominal = 0;
  double used = 0;
  double borrowed = 0;  ///< of `used`: beyond its own quota
};

/// What became of the works that waited in a ClusterQueue.
struct QueueSummary {
  std::string name;
  std::string cohort;  ///< empty: none
  std::size_t arrived = 0;
  std::size_t admitted = 0;  ///< of them, those that have had quota
  std::size_t stopped = 0;   ///< how often one of them had to give its quota back
  std::size_t pending_at_end = 0;
  Distribution waiting;  ///< seconds from arrival to the first quota, of those that had some
  std::string resource;  ///< that it is pictured by: GPUs, if it has quota of any, else its first
  std::vector<QueueQuota> quotas;
};

struct Summary {
  Duration end;          ///< when the replay stopped, since the trace's beginning
  bool was_cut = false;  ///< by ReplayOptions::until
  Duration makespan;     ///< from the first arrival to the last end
  WorkSummary all;
  std::map<std::string, WorkSummary> by_class;
  std::size_t nodes = 0;
  std::size_t pods = 0;  ///< that arrived
  double cpus = 0;       ///< that the nodes offer
  double gpus = 0;
  /// Means over time, from the first arrival to the end: shares of what the nodes offer.
  double cpu_used = 0;
  double memory_used = 0;
  double gpus_used = 0;
  double fragmentation = 0;  ///< mean of the samples, a share of all GPUs
  std::size_t most_pending_works = 0;
  std::size_t preemptions = 0;  ///< pods
  std::size_t releases = 0;     ///< pods of groups that were started only in part
  double gpu_hours = 0;         ///< of works that ran their time, or as long as their owners or the replay let them
  double gpu_hours_lost = 0;    ///< that pods had run when they were preempted, or waited for others of theirs
  std::vector<AllocationPoint> allocation;  ///< ascending
  std::size_t decisions = 0;                ///< turns of pods
  PromiseSummary promises;
  std::vector<QueueSummary> queues;  ///< by name; none: no queue decides
  std::size_t without_queue = 0;     ///< works, where queues decide: those whose namespace has none for them
};

}  // namespace loadline::replay

#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hosts/simulator/queued_jobs.h"

namespace loadline::simulator {

/// The jobs of a plan that Kueue's queues decide about, as they stand when it begins.
struct QueuedIntake {
  std::vector<QueuedJob> jobs;                   ///< in the order in which their Workloads were, or are, made
  std::set<std::size_t> to_start;                ///< of those that are started: not yet by their objects
  std::vector<kube::KueueWorkload> without_job;  ///< Workloads that use quota, or wait for it
  JobChildren children;
  Diagnostics notes;
};

/// Holds those that are to be held, in `objects`.
[[nodiscard]] QueuedIntake take_in_jobs(kube::Objects& objects, const admission::Admission& admission, Instant now);

/// The classes of the objects, which outlive it.
[[nodiscard]] std::shared_ptr<const queue::kueue::WorkloadPriorities> priorities_in(const kube::Objects& objects);

/// With the label of its name that each has. One that is only mentioned has no others.
[[nodiscard]] kube::StringMap labels_of_namespace(const kube::Objects& objects, std::string_view name);

}  // namespace loadline::simulator

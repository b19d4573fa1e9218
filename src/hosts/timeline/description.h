#pragma once

#include "hosts/timeline/observer.h"
#include "hosts/timeline/timeline.h"

namespace loadline::timeline {

/// What an observer has seen, put in order: pods and workloads with their ends, nodes (`first` before those that came),
/// and steps. Leaves `start`, `end`, `is_idle` and `notes` to the caller.
///
/// A workload has all its pods at once ("all_started") when as many of them are on nodes as its object wants (Jobs,
/// Deployments, …), or else as it ever had at a time. It ends as its object's status says, when the object is gone, or
/// else, if it is a pod, with it. What has no end is pending, starts or runs, by how many of its pods are on nodes.
/// O(pods · log pods).
Timeline describe(const Observer& observer, const std::vector<std::string>& first);

}  // namespace loadline::timeline

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "brain/workloads/saturated.h"
#include "brain/workloads/workload.h"
#include "foundation/base/diagnostic.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/objects.h"

namespace loadline::workloads {

/// What a workload has its controllers make, told in O(roles) without making any of it.
struct PodCount {
  std::int64_t pods = 0;  ///< at most kMostCounted
  /// Pods, and where a part has none, what is made on the way to them: Jobs with a parallelism of 0.
  std::int64_t objects = 0;
  /// The same, each for as many as its template's size has it count (template_weight.h).
  std::int64_t weight = 0;
  std::string field;  ///< whose number says most of it: "spec.replicas"
};

/// What counts as time passes; by default, a plan of one moment.
struct Counting {
  /// How often a schedule runs; null: its next run is all that is shown.
  std::function<std::int64_t(const std::string& schedule)> runs = nullptr;
  /// JobSets that are suspended have their Jobs made all the same.
  bool counts_suspended_jobs = false;
};

/// Of one object of every kind of kinds.h, whatever is there of it already, and whatever else controls it. What is
/// suspended, or over, makes nothing; a DaemonSet makes a pod for each node.
template <class Kind>
[[nodiscard]] PodCount count_pods(const Kind& workload, const kube::Objects& objects, const Counting& counting = {});

/// A workload, or a reservation, whose placeholders are pods, too.
struct CountedWorkload {
  WorkloadReference workload;
  SourcePosition at;
  PodCount count;
};

/// What all of an input has made.
struct PodsToMake {
  std::int64_t objects = 0;                ///< at most kMostCounted
  std::int64_t weight = 0;                 ///< likewise
  std::optional<CountedWorkload> largest;  ///< the one that makes the most
};

/// What controllers, and reservations, would make beyond what is there. It may be said too high by what is counted
/// twice, up to a weight of `enough`; beyond that, pods that exist are taken off, and what several objects ask for in
/// one another's name (a Deployment and its ReplicaSet) counts once. Cost: O(workloads), beyond `enough` O(objects)
/// too.
[[nodiscard]] PodsToMake pods_to_make(const kube::Objects& objects, std::int64_t enough, const Counting& counting = {});

}  // namespace loadline::workloads

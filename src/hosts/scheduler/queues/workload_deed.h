#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/watching/action.h"
#include "objects/kube/kueue/workload.h"

namespace loadline::scheduler::queues {

/// What a round decided about a workload, and its object is to say.
struct WorkloadDeed {
  enum class Kind : std::uint8_t {
    kWaiting,      ///< it goes on to wait, and why
    kReservation,  ///< it has its quota
    kEviction,     ///< it is to leave for another one
  };
  Kind kind = Kind::kWaiting;
  std::string uid;              ///< of the object that it was decided about
  std::int64_t generation = 0;  ///< likewise
  Instant at = {};
  std::string message = {};
  kube::WorkloadAdmission admission = {};  ///< of a reservation
  std::set<std::string> checks = {};       ///< likewise: those that it needs
  std::string reason = {};  ///< of an eviction: "InCohortReclamation"; of one that waits: "Pending" if empty
  std::vector<watching::Event> events = {};  ///< to be said once the object says it
};

/// What became of a deed when it was done to an object.
enum class Done : std::uint8_t {
  kVoid,     ///< the object is not what was decided about: the deed makes no sense
  kAlready,  ///< the object says so
  kNow,
};

/// Does the deed to the object. Source: Kueue v0.19.2, pkg/scheduler/scheduler.go (prepareWorkload,
/// requeueAndUpdate), pkg/scheduler/preemption (IssuePreemptions).
Done apply(const WorkloadDeed& deed, kube::KueueWorkload& workload);

}  // namespace loadline::scheduler::queues

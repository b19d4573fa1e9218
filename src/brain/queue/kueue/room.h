#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brain/decision/doors.h"
#include "objects/kube/kueue/workload.h"

namespace loadline::queue::kueue {

/// Whose pods are to have nodes.
struct RoomRequest {
  std::string workload;               ///< "namespace/name"
  kube::WorkloadAdmission admission;  ///< with how many pods, in which flavors
  std::vector<std::string> leaving;   ///< Workloads whose pods count as gone
};

struct RoomAnswer {
  decision::Fit fit = decision::Fit::kYes;
  std::string why;  ///< of kNo: for which pods there is no node, and what the nodes say
};

/// Nodes for pods of workloads that are about to be admitted (Admission::kFeasible). One of the engine's, which places
/// them as it would in their turns: pods that wait are not heeded, and neither are planned starts of groups.
class Room {
 public:
  Room() = default;
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  virtual ~Room() = default;

  /// Whether there are nodes for all its pods. Nothing is held.
  virtual RoomAnswer find(const RoomRequest& request) = 0;
  /// The same; and if so (kYes), they are held until its pods take them. Where pods of lower priority have to leave
  /// first (kAfterEvictions), nothing is held: its pods evict them once they are there.
  virtual RoomAnswer hold(const RoomRequest& request) = 0;
  /// What of it has not been taken is free. Does nothing where nothing is held.
  virtual void let_go(std::string_view workload) = 0;
  /// Grows whenever something may have become free: who found none may find some now.
  [[nodiscard]] virtual std::uint64_t times_freed() const = 0;
};

}  // namespace loadline::queue::kueue

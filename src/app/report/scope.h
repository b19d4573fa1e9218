#pragma once

#include <string>

#include "hosts/simulator/plan.h"

namespace loadline::report {

/// Which pods and objects of a plan a reader asked to see. Nodes and what fills them are always shown whole.
struct Scope {
  std::string name_space;  ///< empty: every namespace

  [[nodiscard]] bool shows(const simulator::WorkloadName& object) const {
    return name_space.empty() || object.name_space == name_space;
  }
  [[nodiscard]] bool shows(const simulator::PlannedReservation& reservation) const {
    return reservation.is_shown() && (name_space.empty() || reservation.name_space == name_space);
  }
  [[nodiscard]] bool shows(const simulator::PlannedPod& pod) const {
    return name_space.empty() || pod.name_space == name_space;
  }
  [[nodiscard]] bool shows(const simulator::PlannedGroup& group) const {
    return name_space.empty() || group.name_space == name_space;
  }
};

}  // namespace loadline::report

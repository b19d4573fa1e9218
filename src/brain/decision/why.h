#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "brain/decision/unit.h"
#include "brain/gang/refusal.h"
#include "brain/gang/search/group_demand.h"
#include "brain/placement/fit_error.h"
#include "foundation/base/time.h"

namespace loadline::decision {

/// A plugin keeps it out of the queue: pods of its group are missing.
struct Gated {
  placement::Reason reason;
  friend bool operator==(const Gated&, const Gated&) = default;
};

/// A queued workload that it stands under is not admitted.
struct NotAdmitted {
  friend bool operator==(const NotAdmitted&, const NotAdmitted&) = default;
};

/// It fits, and would move the planned start of a unit before it in line.
struct HeldForPlan {
  Unit planned;
  Instant at;
  friend bool operator==(const HeldForPlan&, const HeldForPlan&) = default;
};

/// Why a unit waits, or a pod of it, as a value: what was found out, in numbers and names. It costs no text; hosts make
/// that when they tell it (why_text.h). Its parts follow each other: the cause, the nodes, the victims.
struct Why {
  std::variant<std::monostate, Gated, NotAdmitted, gang::LackingSubgroup, HeldForPlan, gang::Refusal> cause;
  std::shared_ptr<const placement::FitError> fit_error;  ///< what the nodes, and preemption by itself, have to say
  std::vector<gang::NoVictims> no_victims;               ///< why nobody leaves for it and its group together
  std::int64_t later_pods = 0;  ///< of a group: so many are created later, and there has to be room for them, too

  /// It does not wait, or nobody knows why.
  [[nodiscard]] bool empty() const;
  /// Whose planned start it would move; neither pod nor group: that is not why it waits.
  [[nodiscard]] Unit held_by() const;
  /// What two values tell is the same.
  friend bool operator==(const Why& a, const Why& b);
};

}  // namespace loadline::decision

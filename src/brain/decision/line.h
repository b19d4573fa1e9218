#pragma once

#include <optional>

#include "brain/decision/doors.h"
#include "foundation/base/time.h"

namespace loadline::decision {

/// A queue that stands beside the one of units, and decides in rounds: which workloads are admitted, in which order
/// units of its own have their turns, which machines are bought. What a round is differs: Kueue takes one head of each
/// ClusterQueue, Volcano opens a session; nothing enters a round while it runs. Between lines there is no fairness:
/// priorities hold, and whatever guards possible victims.
class Line {
 public:
  Line() = default;
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  virtual ~Line() = default;

  /// Something has happened since its last round, or time has come, so that another one may decide something.
  [[nodiscard]] virtual bool is_due(Instant now) const = 0;
  /// When it will be due though nothing happens; nullopt: never.
  [[nodiscard]] virtual std::optional<Instant> due_at() const { return std::nullopt; }
  /// One round, of bounded length: opens on what there is now, nominates, orders, acts with tests made anew, closes.
  virtual void decide_round(Doors& doors, Instant now) = 0;
};

}  // namespace loadline::decision

#pragma once

#include <functional>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/decision/eviction.h"
#include "brain/decision/unit.h"
#include "brain/engine/broken_groups.h"
#include "brain/engine/scheduling_queue.h"
#include "brain/engine/unit_table.h"
#include "brain/gang/partial_starts.h"
#include "brain/gang/place.h"
#include "brain/gang/switches.h"
#include "brain/gang/waiting_parts.h"
#include "brain/placement/scheduler.h"
#include "foundation/base/time.h"

namespace loadline::engine {

/// What is to be done about starts that are overdue.
struct Overdue {
  std::vector<decision::Eviction> releases;  ///< what groups give back: the host evicts these pods
  /// What one of the stuck workloads would give back, if the policy did not keep it.
  std::vector<decision::Eviction> kept_in_vain;
};

/// Says which groups give back room that they hold and cannot use: for their start, or that of a part, is overdue.
class OverdueStarts {
 public:
  /// What the scheduler's loop says of units that wait.
  struct Line {
    TryUnit starts;
    std::function<bool(const decision::Unit&)> could_ever_start;
  };

  OverdueStarts(cluster::Cluster& cluster, const placement::Scheduler& scheduler, const UnitTable& units,
                SchedulingQueue& queue, Line line)
      : cluster_(cluster), scheduler_(scheduler), units_(units), queue_(queue), line_(std::move(line)) {}

  /// See Dispatcher::overdue_starts().
  Overdue at(Instant now, gang::BrokenGroups broken);
  /// Whether a later call may say more though nothing happens: as of the last call, which was at `now`.
  [[nodiscard]] bool is_any_watched(Instant now) const {
    return partial_starts_.is_any_watched(now) || waiting_parts_.is_any_watched(now);
  }

 private:
  std::vector<decision::Eviction> stuck_between_parts(Instant now);
  void give_way(const std::vector<decision::Eviction>& stuck);
  [[nodiscard]] std::vector<gang::Place> places_once_gone(const std::vector<decision::Eviction>& evictions);
  [[nodiscard]] std::vector<InLine> beneficiaries() const;

  cluster::Cluster& cluster_;
  const placement::Scheduler& scheduler_;
  const UnitTable& units_;
  SchedulingQueue& queue_;
  Line line_;
  gang::PartialStarts partial_starts_;
  gang::WaitingParts waiting_parts_;
};

}  // namespace loadline::engine

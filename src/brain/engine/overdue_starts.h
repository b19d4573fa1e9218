#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/decision/eviction.h"
#include "brain/decision/unit.h"
#include "brain/engine/broken_groups.h"
#include "brain/engine/scheduling_queue.h"
#include "brain/gang/partial_starts.h"
#include "brain/gang/place.h"
#include "brain/gang/switches.h"
#include "brain/gang/waiting_parts.h"
#include "brain/placement/scheduler.h"
#include "foundation/base/time.h"

namespace loadline::engine {

/// Groups of which pods wait, and these pods in the order they came.
using WaitingGroups = std::map<cluster::GroupId, std::vector<cluster::PodId>>;

/// Says which groups give back room that they hold and cannot use: for their start, or that of a part, is overdue.
class OverdueStarts {
 public:
  /// What the scheduler's loop knows of units that wait.
  struct Line {
    std::function<std::span<const cluster::PodId>(const decision::Unit&)> pods;
    std::function<std::int32_t(const decision::Unit&)> priority;
    std::function<bool(const decision::Unit&)> could_ever_start;
    TryUnit starts;
  };

  OverdueStarts(cluster::Cluster& cluster, const placement::Scheduler& scheduler, SchedulingQueue& queue, Line line)
      : cluster_(cluster), scheduler_(scheduler), queue_(queue), line_(std::move(line)) {}

  /// See Dispatcher::overdue_starts().
  std::vector<decision::Eviction> at(Instant now, const WaitingGroups& waiting, gang::BrokenGroups broken);
  /// As of the last call: what one of the stuck workloads would have given back, if the policy did not keep it.
  [[nodiscard]] const std::vector<decision::Eviction>& kept_in_vain() const { return kept_in_vain_; }

 private:
  std::vector<decision::Eviction> stuck_between_parts(Instant now, const WaitingGroups& waiting);
  void give_way(const std::vector<decision::Eviction>& stuck, const WaitingGroups& waiting);
  [[nodiscard]] std::vector<gang::Place> places_once_gone(const std::vector<decision::Eviction>& evictions,
                                                          const WaitingGroups& waiting);
  [[nodiscard]] std::vector<InLine> beneficiaries() const;

  cluster::Cluster& cluster_;
  const placement::Scheduler& scheduler_;
  SchedulingQueue& queue_;
  Line line_;
  gang::PartialStarts partial_starts_;
  gang::WaitingParts waiting_parts_;
  std::vector<decision::Eviction> kept_in_vain_;
};

}  // namespace loadline::engine

#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "brain/cluster/ids.h"
#include "brain/decision/turn.h"
#include "brain/decision/unit.h"
#include "brain/gang/group_attempt.h"
#include "brain/placement/scheduler.h"

namespace loadline::decision {

/// Whether pods have places together.
enum class Fit : std::uint8_t {
  kNo,
  kAfterEvictions,  ///< once pods of lower priority have left, or those that are leaving
  kYes,
};

/// How pods are fitted.
struct Fitting {
  std::span<const cluster::NodeId> within = {};  ///< on these nodes alone, which are in scan order; empty: on all
  bool asks_for_victims = false;                 ///< to tell kAfterEvictions from kNo
  std::uint64_t budget = gang::kSearchBudget;  ///< of a group's search, in steps: what it does not find by then is none
};

/// What keeps a pod that waits from its place.
struct Examined {
  bool has_place = false;  ///< it finds one
  /// Whoever finds none: the pod, or, if it finds one, the first of its group; invalid: all that were asked about find
  /// theirs.
  cluster::PodId stopped;
  placement::Examination examination;  ///< of that one, those members having their places that find some
};

/// What those who decide beside the scheduler's loop ask of it, and those who explain it: queues of jobs, capacity,
/// rebalancing, suggestions. All answers are those of its turns, by the policy in force.
class Doors {
 public:
  Doors() = default;
  Doors(const Doors&) = delete;
  Doors& operator=(const Doors&) = delete;
  virtual ~Doors() = default;

  /// Decides about a unit that waits, and does what follows in the model. REQUIRES: next() has named it.
  virtual void take(Unit unit, placement::Detail detail, Turn& turn) = 0;
  /// What keeps the pod from its place: tries these pods of its group in their order, with every detail. `members`: of
  /// a group those that wait, the pod among them; else nothing. The cluster is as before on return. Cost: a turn, and
  /// the pod's Scheduler::examine(). REQUIRES: they are on no nodes.
  virtual Examined examine(cluster::PodId pod, std::span<const cluster::PodId> members) = 0;
  /// Places these pods of the unit in the cluster as it stands: of a group as many as its rules ask for, of which the
  /// cluster tells. Planned starts of others are not heeded, and nobody is evicted. kYes: they have their places until
  /// the caller's transaction ends; else the cluster is as before. The caller may have added nodes, or masked some.
  /// REQUIRES: a Visibility::kSeen transaction is open; the pods are on no nodes.
  virtual Fit fit(Unit unit, std::span<const cluster::PodId> pods, const Fitting& how) = 0;
  /// What a turn placed will not be carried out: the pod is unplaced, and what it holds is given back. It waits again
  /// once it is added. Does nothing to a pod that is on no node and holds nothing.
  virtual void release(cluster::PodId pod) = 0;
};

}  // namespace loadline::decision

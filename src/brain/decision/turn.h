#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/decision/eviction.h"
#include "brain/decision/passing.h"
#include "brain/decision/unit.h"
#include "brain/decision/why.h"
#include "brain/gang/group_attempt.h"
#include "brain/gang/planned_start.h"
#include "brain/placement/scheduler.h"

namespace loadline::decision {

/// What a turn decided about one pod. It is in the model already; the host carries it out and reports it.
struct PodTurn {
  cluster::PodId pod;
  cluster::NodeId node;       ///< the pod was placed there; invalid: it was not
  Why why;                    ///< why not
  cluster::NodeId nominated;  ///< where preemption makes room for it, or still does
  /// The pods of Turn::evictions that are this pod's to tell of, in the order in which the host lets them go, see
  /// Dispatcher::leaving(); each is in one list only. Pods that are leaving already are not among them. Not all of them
  /// are on the nominated node: groups leave as a whole.
  std::vector<cluster::PodId> victims;
  std::vector<cluster::PodId> denominated;  ///< pods of lower priority that lost their nomination to it
  /// What was chosen for the claims of a pod that was placed, and has to be written down before it is bound; always
  /// empty where the model binds by itself.
  std::vector<cluster::ChosenVolume> volumes;
  /// The placeholder whose place a pod took that was placed; invalid: none. It may be gone when the turn is over.
  cluster::PodId consumed;
  cluster::ReservationId reservation;  ///< whose placeholder that was
  /// Nothing has changed since an equal pod failed, so no plugin was asked; or the pod's group failed as a whole.
  bool is_repeated = false;
  bool is_error = false;         ///< it failed for a reason that is not about the cluster
  placement::Decision decision;  ///< of a pod that plugins were asked about
};

/// The result of one turn of the queue: of a pod, or of a group.
struct Turn {
  Unit unit;
  /// One of a pod; of a group, one for each member that waited.
  std::vector<PodTurn> pods;
  std::vector<Passing> passed;  ///< of a unit that starts: the planned starts that it was let pass
  /// Who leaves for the unit as a whole, most important first, then who does for one of its pods.
  std::vector<Eviction> evictions;

  // ---- of a group --------------------------------------------------------------------------------------------------
  gang::Verdict verdict = gang::Verdict::kStarts;
  Why why;                  ///< why it does not start, as a whole
  std::size_t fits = 0;     ///< members that found a place, whether the group starts or not
  std::size_t hopeful = 0;  ///< members without a place that evictions would make, or are making
  /// The first member that found no place, not even by evictions: an index into `pods`.
  std::optional<std::size_t> stopped_by;
  std::optional<gang::PlannedStart>
      planned_start;                         ///< when it will start, if it does not now; nullopt: that is unknown
  std::vector<cluster::PodId> awaits;        ///< whose ends it waits for until then, in that order
  std::optional<gang::SearchReport> search;  ///< see gang::GroupAttempt::search
  bool repeats_search = false;               ///< nothing has changed since, so it was not made again

  /// For the next turn; the memory stays.
  void clear() {
    pods.clear();
    verdict = gang::Verdict::kStarts;
    why = {};
    fits = hopeful = 0;
    stopped_by.reset();
    evictions.clear();
    passed.clear();
    planned_start.reset();
    awaits.clear();
    search.reset();
    repeats_search = false;
  }
};

}  // namespace loadline::decision

#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/gang/release.h"
#include "brain/placement/scheduler.h"
#include "foundation/base/time.h"

namespace loadline::gang {

/// Knows since when groups are on nodes only in part, fewer than have to start together.
///
/// A group is decided on as a whole, but a host may carry that out only partly: a binding is refused, a member is
/// deleted meanwhile, the scheduler ends between two bindings. The group's next turn completes it. If that succeeds in
/// no turn, or there is none because members are missing, those that are on nodes leave in the end: otherwise two such
/// groups could wait for each other's room for ever.
///
/// A group that was whole once and lost members is broken. What it lost is replaced while the others run, if there is
/// room; if there is none, others may have its room: see Dispatcher::overdue_starts(). So is a subgroup that lost
/// members of a group that goes on without it. One whose minimum was raised since it was whole has lost nothing, and
/// keeps its room, however long the further members wait: see group_standing.h.
class PartialStarts {
 public:
  /// So long a group may stay like that. Source: permitTimeoutDuration of kube-scheduler's plugin GangScheduling,
  /// v1.36: how long members of a gang that have a node wait for the others, before any of them is bound.
  static constexpr Duration kPatience = Duration::seconds(300);

  struct Overdue {
    std::vector<Release> unfinished;  ///< never were whole: they leave
    std::vector<Release> broken;      ///< were whole: the least important first, and of those the youngest
  };
  /// The groups, and subgroups, that were on nodes only in part in all calls of the last kPatience, and in one before
  /// that or then. A group counts only if `scheduler` has the profile of its pods, which asks for the minimum.
  /// O(groups), and the members of those with subgroups.
  Overdue overdue(const cluster::Cluster& cluster, const placement::Scheduler& scheduler, Instant now);
  /// Whether some may be overdue in a later call though nothing happens: as of the last call, which was at `now`.
  [[nodiscard]] bool is_any_watched(Instant now) const;

 private:
  // Of a group, or of a subgroup, whose name comes last: an id may be another's in the next call.
  using Name = std::tuple<Symbol, cluster::GroupSpelling, std::string, std::string>;
  std::map<Name, Instant> since_;
};

}  // namespace loadline::gang

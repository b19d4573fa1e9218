#pragma once

#include <cstddef>
#include <vector>

#include "brain/cluster/cluster.h"

namespace loadline::gang {

/// A part of a group that goes on without it: it has pods on nodes, and fewer than it is of use with.
struct StalePart {
  std::size_t subgroup = 0;          ///< its place in GroupRules::subgroups
  std::vector<cluster::PodId> pods;  ///< on nodes, in order of creation
};

/// How a group of which pods are on nodes stands to its minimums. Members that have succeeded count as if they were on
/// nodes; those that are leaving do not count.
struct GroupStanding {
  bool is_whole = false;  ///< it has its minimum, and its subgroups have theirs, as many of them as it needs
  /// It is not whole, and has fewer than it had when it last was: it has lost members. A minimum that was raised since
  /// is no loss.
  bool has_lost = false;
  /// Of one that is whole, and can do without some of its subgroups: those that have lost members. The widest ones.
  std::vector<StalePart> stale;
};

/// O(members × subgroups); of a group without subgroups O(1).
[[nodiscard]] GroupStanding standing_of(const cluster::Cluster& cluster, cluster::GroupId group);

/// The group has had a turn, or is there when the host begins: if it is whole, it has started.
void note_start(cluster::Cluster& cluster, cluster::GroupId group);

/// What is not known when the host begins is taken for granted: groups have started with the members that are on nodes,
/// if their object says that they have started, but had other minimums then; and groups in words by which nothing says
/// whether they have, but for parts that the group can do without: such a part starts whole, so it has lost members.
/// Groups of Kubernetes say it by a condition. It would be worse to end what runs than to keep it. O(groups).
void believe_in_starts(cluster::Cluster& cluster);

}  // namespace loadline::gang

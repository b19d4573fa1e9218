#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/gang/release.h"
#include "foundation/base/time.h"

namespace loadline::gang {

/// Whether the group has its earlier parts on nodes, and lacks nothing but a later part, none of which has a node.
[[nodiscard]] bool waits_for_later_part(const cluster::Cluster& cluster, const cluster::PodGroup& group);

/// Knows since when workloads that are created part by part are stuck between two parts: the earlier pods have nodes,
/// and hold room, the later ones find none. Nobody looked for room for the whole before the first part was started, so
/// two of them may hold what each other needs. See Dispatcher::overdue_starts().
class WaitingParts {
 public:
  /// Those that have been stuck in all calls of the last PartialStarts::kPatience, each with what its workload gives
  /// back: the least important first, and of those the youngest. `waiting`: groups with pods that wait for nodes.
  /// O(waiting × members).
  std::vector<Release> overdue(const cluster::Cluster& cluster, std::span<const cluster::GroupId> waiting, Instant now);
  /// Whether some may be overdue in a later call though nothing happens: as of the last call, which was at `now`.
  [[nodiscard]] bool is_any_watched(Instant now) const;

 private:
  using Name = std::tuple<Symbol, cluster::GroupSpelling, std::string>;
  std::map<Name, Instant> since_;
};

}  // namespace loadline::gang

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hosts/simulator/change.h"
#include "hosts/simulator/plan.h"

namespace loadline::simulator {

/// What a change made of a pod.
enum class PodChange : std::uint8_t {
  kMoved,     ///< had a node and has another one
  kUnplaced,  ///< had a node and waits for one
  kPlaced,    ///< waited and has a node
  kAppeared,  ///< was not there: on a node or waiting, as `after` says
  kGone,      ///< was there, and nothing takes its place
  kRestated,  ///< waited and waits, but is in another state: rejected where it was pending, say
};

/// A pod before and after a change, each an index into its plan's pods. Where a controller brought back a pod under
/// another name, the two are one and the same replica.
struct PodDifference {
  PodChange change = PodChange::kMoved;
  std::optional<std::size_t> before;
  std::optional<std::size_t> after;
  std::optional<std::size_t> left;  ///< in the plan after: the record of how it left its node (preempted, evicted)
  std::string why;                  ///< how it left: "evicted by …", "node l4-a is removed"; empty if it did not
  bool intended = false;            ///< gone as the user wanted
};

/// A pod group that started before a change and waits after it, or the other way round, or is new.
struct GroupDifference {
  std::optional<std::size_t> before;  ///< index into the earlier plan's groups
  std::size_t after = 0;              ///< index into the later plan's
};

/// A reservation of which other room is held, or waits, after a change; each an index into its plan's reservations.
struct ReservationDifference {
  std::optional<std::size_t> before;  ///< nullopt: it is new
  std::optional<std::size_t> after;   ///< nullopt: it is gone
};

/// The difference between two plans of a cluster, one before a change and one after it.
struct Difference {
  std::vector<PodDifference> pods;  ///< those with a difference, in order of creation; new ones last
  std::size_t unchanged = 0;        ///< on the node where they were, perhaps created anew there
  std::size_t waiting = 0;          ///< waited before, wait now
  std::vector<ReservationDifference> reservations;
  std::vector<std::size_t> refused;  ///< indices into the later plan's `refused`: objects that are refused only there
  std::vector<GroupDifference> groups;

  [[nodiscard]] std::size_t count(PodChange change) const;
};

/// Compares the plan of a cluster with the plan of what a change made of it.
///
/// Pods are matched by name. What is left of a workload's pods (of a ReplicaSet or Job, whose pods have
/// generated names) is interchangeable, and matched so that little moves: those on the same node first, then those with
/// most of the name in common (the index of an indexed Job), then those that keep a node, then any. A DaemonSet's pods
/// are matched on their node only. O(pods × log pods). `name_space`: tells and counts only its pods and objects; empty:
/// all.
Difference difference(const Plan& before, const Plan& after, const ChangedCluster& change,
                      std::string_view name_space = {});

/// True if a pod waits at the end: pending, rejected or ignored. Gated ones wait because their author said so.
[[nodiscard]] bool waits_in_vain(const PlannedPod& pod);

/// True if the change made something worse: a pod lost its node or its life though the change did not ask for that, a
/// new pod or object is refused or finds no node, room that is to be reserved is held nowhere any more, or a drain is
/// held up.
[[nodiscard]] bool got_worse(const Difference& difference, const Plan& before, const Plan& after,
                             const ChangedCluster& change);

}  // namespace loadline::simulator

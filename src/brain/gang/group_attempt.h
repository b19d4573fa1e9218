#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/gang/eviction_units.h"
#include "brain/gang/refusal.h"
#include "brain/gang/search/group_search.h"
#include "brain/gang/switches.h"
#include "brain/placement/scheduler.h"

namespace loadline::gang {

/// What one member of a group was told in the group's turn.
struct MemberAttempt {
  cluster::PodId pod;
  placement::Decision decision;
  Refusal refusal;                    ///< what it is told before what the decision says; nothing: that alone
  std::vector<NoVictims> no_victims;  ///< what it is told after that
  /// The earlier member of the same shape and priority that failed for the same reasons, nothing having been placed
  /// since; `decision` is empty then.
  std::optional<std::size_t> same_as;
  /// The group was tried without the member's subgroup: it neither finds room nor makes any; `refusal` says why.
  bool is_left_out = false;
  cluster::NodeId node;       ///< where it was placed; invalid: it was not
  cluster::NodeId nominated;  ///< where evictions make room for it, or are making it already
  std::vector<cluster::ChosenVolume> volumes;
  std::vector<cluster::PodId> victims;  ///< that leave for its group, and of which it tells; see GroupAttempt::victims
};

/// What becomes of the group.
enum class Verdict : std::uint8_t {
  kStarts,        ///< the members that were placed may be bound
  kWaitsForRoom,  ///< it would start once those are gone that some of its members evict
  kDoesNotFit,
  kFailed,  ///< something is wrong with the group, or a plugin failed
};

struct GroupAttempt {
  std::vector<MemberAttempt> members;  ///< in the order they were tried; after a failure not all of them
  Verdict verdict = Verdict::kDoesNotFit;
  std::size_t fits = 0;     ///< members that were placed
  std::size_t hopeful = 0;  ///< members without a place that evictions would make, or are making
  /// The first member that found no place, not even by evictions: an index into `members`.
  std::optional<std::size_t> stopped_by;
  Refusal refusal;                      ///< of a group that does not start: what members are told that were placed
  Refusal as_a_whole;                   ///< what is said of the group; nothing: what its members are told
  std::vector<EvictionUnit> victims;    ///< who leaves for the group as a whole, most important first
  std::optional<NoVictims> no_victims;  ///< why nobody does; nothing: somebody does, or nobody was looked for
  /// What a search for other places came to, where members in their order did not suffice. If it found some, the group
  /// starts there; else all of the above is about the members in their order.
  std::optional<SearchReport> search;
};

/// How much a group's attempt costs, and tells.
struct Effort {
  placement::Detail detail = placement::Detail::kDecision;
  /// Whether members that find no place look for victims, each for itself.
  placement::Search preemption = placement::Search::kAsConfigured;
  /// What the search came to when it was last made, nothing having changed since: it is not made again.
  const SearchReport* known = nullptr;
  std::uint64_t budget = kSearchBudget;  ///< of the search, in steps
  /// What to do where members in their order do not suffice.
  GroupPlacement placement = GroupPlacement::kInOrder;
  GroupDomains domains = GroupDomains::kBestFit;
  GroupShares shares = GroupShares::kFewest;
  /// Members are tried on these nodes alone, which are in scan order, and in order; no member looks for victims. Empty:
  /// on all.
  std::span<const cluster::NodeId> within = {};
};

/// The effort, with what the policy says of how groups are placed. Whoever asks whether a group would start, asks so.
[[nodiscard]] inline Effort obeying(const Switches& switches, Effort effort = {}) {
  effort.placement = switches.placement;
  effort.domains = switches.domains;
  effort.shares = switches.shares;
  return effort;
}

/// The budget where one of many questions is whether a group would fit: a search that does not come to its end in so
/// many steps counts as a no.
inline constexpr std::uint64_t kProbeBudget = 2'000;

/// The order in which members have their turns: by priority, then by age; placeholders behind the pods of a priority,
/// as what they hold room for comes later.
std::vector<cluster::PodId> in_order(const cluster::Cluster& cluster, std::span<const cluster::PodId> members);

/// Whether all of them name the same scheduler.
bool have_one_scheduler(const cluster::Cluster& cluster, std::span<const cluster::PodId> members);

/// Tries to place the members one after another, each by its own cycle, which sees those before it in their places. If
/// they do not suffice, and the policy has it, a search goes over other orders and other nodes, before anybody is
/// evicted (search/group_search.h); of the members that it leaves out, those that fit then are placed in their order.
///
/// In the cluster stand then the placements and nominations of all that found a node, reserved volumes included, so the
/// caller opens a transaction (Visibility::kSeen) around it, and commits it only if the verdict is kStarts. After a
/// search that found nothing, the cluster is as before.
///
/// A group starts when as many are placed as its plugins at Permit ask for, and its subgroups; surplus members may be
/// left over, which then make room for themselves as single pods do. Members that would fit after evictions count for
/// kWaitsForRoom only; with Search::kNone none of them looks for victims. O(members) decisions; members that cannot be
/// told apart, and fail, cost one. Source: kube-scheduler v1.36, schedule_one_podgroup.go,
/// podGroupSchedulingDefaultAlgorithm; docs/differences.md. REQUIRES: the members are of the group, wait, and the
/// scheduler has their profile.
GroupAttempt attempt(cluster::Cluster& cluster, placement::Scheduler& scheduler, cluster::GroupId group,
                     std::span<const cluster::PodId> members, const Effort& effort = {});

/// Whether a group that waits for room starts indeed once its victims are gone, and those of its earlier nominations.
/// The attempt itself cannot tell: a member that waits for room has no place yet that affinity and spreading of the
/// others could go by. The cluster is unchanged on return. O(members) decisions.
/// REQUIRES: as of attempt(), whose verdict was kWaitsForRoom, and whose claims are rolled back.
bool starts_after_evictions(cluster::Cluster& cluster, placement::Scheduler& scheduler, cluster::GroupId group,
                            std::span<const cluster::PodId> members, const GroupAttempt& attempt,
                            GroupPlacement placement = GroupPlacement::kInOrder);

}  // namespace loadline::gang

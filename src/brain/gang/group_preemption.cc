#include "brain/gang/group_preemption.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/gang/held_room.h"
#include "brain/gang/room_count.h"
#include "brain/gang/victims.h"

namespace loadline::gang {

using cluster::NodeId;
using cluster::PodId;

namespace {

bool never_preempts(const cluster::Cluster& cluster, std::span<const PodId> members) {
  return std::ranges::any_of(
      members, [&](PodId pod) { return cluster.pod(pod).preemption_policy == kube::PreemptionPolicy::kNever; });
}

std::vector<Place> places_of(const cluster::Cluster& cluster, std::span<const PodId> members) {
  std::vector<Place> places;
  for (const PodId pod : members) {
    if (const NodeId node = cluster.pod(pod).node; node.valid()) places.push_back({pod, node});
  }
  return places;
}

bool are_preempted(const cluster::Cluster& cluster, std::span<const PodId> leaving) {
  return std::ranges::any_of(leaving, [&](PodId pod) { return cluster.pod(pod).terminating_by_preemption; });
}

/// Where the members would be if those were gone that are leaving anyway; empty: they do not fit then.
std::vector<Place> places_left(const cluster::Cluster& cluster, cluster::Transaction& tentatively,
                               std::span<const PodId> members, const TryPlace& try_place) {
  std::vector<Place> places;
  if (try_place()) places = places_of(cluster, members);
  tentatively.rollback();
  return places;
}

/// The needs of the members, with the nodes that they may be on once others have left. A pod that wants others beside
/// it may find them where siblings go, so that no node is ruled out.
std::vector<RoomNeed> needs_of(const cluster::Cluster& cluster, placement::Scheduler& scheduler,
                               const Preemptor& preemptor) {
  std::vector<RoomNeed> needs = room_needs(cluster, scheduler, preemptor.members, preemptor.least);
  for (RoomNeed& need : needs) {
    const auto example = std::ranges::find_if(preemptor.members, [&](PodId pod) {
      return cluster.pod(pod).shape == need.shape && cluster.pod(pod).priority == need.priority;
    });
    const bool wants_company = !cluster.shape(need.shape).required_affinity.empty();
    need.nodes = wants_company ? cluster.nodes() : scheduler.resolvable(*example, cluster.nodes());
  }
  return needs;
}

NoVictims nobody_suffices(const EvictionUnits& units) {
  return {units.units.empty() ? NoVictims::Kind::kNobody : NoVictims::Kind::kNotEnough, units.exempt};
}

}  // namespace

Preemptor preemptor_of(const cluster::Cluster& cluster, cluster::GroupId id, std::span<const PodId> members) {
  const std::int64_t least = std::min<std::int64_t>(cluster.group(id).still_needed(), std::ssize(members));
  return {id, members, static_cast<std::size_t>(least), priority_of(cluster, id), std::nullopt};
}

Preemptor preemptor_of(const cluster::Cluster& cluster, const PodId& pod) {
  const cluster::PodRecord& record = cluster.pod(pod);
  const bool is_of_group = record.group.valid();
  const std::int32_t priority =
      is_of_group ? cluster.group(record.group).rules.priority.value_or(record.priority) : record.priority;
  return {record.group, {&pod, 1}, 1, priority, std::nullopt};
}

GroupPreemption preempt(cluster::Cluster& cluster, placement::Scheduler& scheduler, const Preemptor& preemptor,
                        const EvictionRules& rules, const TryPlace& try_place) {
  if (never_preempts(cluster, preemptor.members)) return {{}, {}, NoVictims{NoVictims::Kind::kNever}};
  const EvictionUnits units = eviction_units(cluster, rules);
  cluster::Transaction tentatively(cluster, cluster::Visibility::kSeen);
  for (const PodId pod : units.leaving) cluster.unplace(pod);
  // Room is kept without evicting anybody only in place of evicting somebody.
  const bool waits_for_leaving =
      !units.leaving.empty() && (!units.units.empty() || are_preempted(cluster, units.leaving));
  if (waits_for_leaving) {
    cluster::Transaction placing(cluster, cluster::Visibility::kSeen);
    std::vector<Place> places = places_left(cluster, placing, preemptor.members, try_place);
    if (!places.empty()) return {std::move(places), {}, {}};
  }
  if (units.units.empty()) return {{}, {}, nobody_suffices(units)};
  for (const PodId pod : preemptor.members) cluster.nominate(pod, NodeId{});
  const std::vector<RoomNeed> needs = needs_of(cluster, scheduler, preemptor);
  const VictimRules weighed = recommended_rules(cluster);
  std::optional<Victims> found =
      preemptor.domains
          ? find_victims_in_one(cluster, units.units, preemptor.members, needs, *preemptor.domains, try_place, weighed)
          : find_victims(cluster, units.units, preemptor.members, needs, try_place, weighed);
  if (!found) return {{}, {}, nobody_suffices(units)};
  leave_out_placeholders(cluster, found->units);
  return {std::move(found->places), std::move(found->units), {}};
}

namespace {

/// The member that tells of the victim: one that is nominated to its node, else the first that is nominated.
MemberAttempt& teller_of(std::vector<MemberAttempt>& members, NodeId node) {
  const auto beside = std::ranges::find(members, node, &MemberAttempt::nominated);
  if (beside != members.end()) return *beside;
  return *std::ranges::find_if(members, [](const MemberAttempt& member) { return member.nominated.valid(); });
}

}  // namespace

void apply(GroupPreemption found, GroupAttempt& attempt, const cluster::Cluster& cluster) {
  attempt.no_victims = found.why_not;
  if (found.places.empty()) return;
  std::map<PodId, NodeId> places;
  for (const Place& place : found.places) places[place.pod] = place.node;
  for (MemberAttempt& member : attempt.members) {
    const auto place = places.find(member.pod);
    if (!member.node.valid() && place != places.end()) ++attempt.hopeful;
    member.node = NodeId{};
    member.nominated = place == places.end() ? NodeId{} : place->second;
  }
  attempt.victims = std::move(found.victims);
  for (const EvictionUnit& unit : attempt.victims) {
    for (const PodId pod : unit.pods) {
      teller_of(attempt.members, cluster.pod(pod).node).victims.push_back(pod);
    }
  }
  attempt.verdict = Verdict::kWaitsForRoom;
  attempt.stopped_by.reset();
  attempt.refusal = WaitsForVictims();
}

bool make_room(cluster::Cluster& cluster, MemberAttempt& member, MemberAttempt found) {
  member.nominated = NodeId{};
  if (found.decision.attempt.scheduled()) {
    member.nominated = found.decision.attempt.node;  // what it was told before is why it waits
  } else {
    member.same_as.reset();
    member.decision = std::move(found.decision);
    member.refusal = std::move(found.refusal);
    member.no_victims = std::move(found.no_victims);
    const placement::Preemption& preemption = member.decision.preemption;
    const NodeId before = cluster.pod(member.pod).nominated;
    const bool is_kept = before.valid() && preemption.keeps_nomination();
    member.nominated = is_kept ? before : preemption.node;
    const placement::Candidate* chosen = preemption.chosen();
    for (std::size_t i = 0; chosen != nullptr && i < chosen->victims.size(); ++i) {
      if (cluster.pod(chosen->victims[i]).node.valid()) cluster.unplace(chosen->victims[i]);
    }
  }
  if (!member.nominated.valid()) return false;
  if (cluster.pod(member.pod).nominated != member.nominated) cluster.nominate(member.pod, member.nominated);
  return true;
}

void count_hopeful(GroupAttempt& attempt) {
  attempt.hopeful = 0;
  attempt.stopped_by.reset();
  for (std::size_t i = 0; i < attempt.members.size(); ++i) {
    const MemberAttempt& member = attempt.members[i];
    if (member.nominated.valid()) ++attempt.hopeful;
    if (!member.nominated.valid() && !member.node.valid() && !attempt.stopped_by) attempt.stopped_by = i;
  }
  if (attempt.verdict != Verdict::kDoesNotFit || attempt.hopeful == 0) return;
  attempt.verdict = Verdict::kWaitsForRoom;
  attempt.refusal = WaitsForVictims();
}

}  // namespace loadline::gang

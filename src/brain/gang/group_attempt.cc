#include "brain/gang/group_attempt.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/gang/held_room.h"
#include "brain/gang/place.h"
#include "brain/placement/reserved_nodes.h"

namespace loadline::gang {

using cluster::NodeId;
using cluster::PodId;

namespace {

/// All pods of a group belong to one scheduler. Source: frameworkForPodGroup.
std::optional<SchedulersDiffer> disagreement(const cluster::Cluster& cluster, std::span<const PodId> members) {
  const Symbol wanted = cluster.shape_of(members.front()).scheduler_name;
  for (const PodId pod : members) {
    const Symbol name = cluster.shape_of(pod).scheduler_name;
    if (name != wanted) return SchedulersDiffer{name, wanted};
  }
  return std::nullopt;
}

class Turn {
 public:
  Turn(cluster::Cluster& cluster, placement::Scheduler& scheduler, const Effort& effort, std::size_t members)
      : cluster_(cluster),
        scheduler_(scheduler),
        detail_(effort.detail),
        preemption_(effort.preemption),
        within_(effort.within) {
    attempt_.members.reserve(members);
  }

  /// False: the member's attempt ended in an error.
  bool try_member(PodId pod);
  /// The member's place is known.
  void put_member(const Place& known);
  /// REQUIRES: try_member() was false.
  [[nodiscard]] const std::string& last_error() const { return attempt_.members.back().decision.attempt.error; }
  GroupAttempt conclude(cluster::GroupId group);
  GroupAttempt fail(Refusal refusal);

 private:
  /// What decides a failure as long as nothing is placed.
  using Kind = std::tuple<cluster::ShapeId, std::int32_t, kube::PreemptionPolicy>;

  void place(MemberAttempt& member);
  void make_room(MemberAttempt& member);

  cluster::Cluster& cluster_;
  placement::Scheduler& scheduler_;
  placement::Detail detail_;
  placement::Search preemption_;
  std::span<const NodeId> within_;
  GroupAttempt attempt_;
  std::map<Kind, std::size_t> refused_;  // since something was last placed
};

bool Turn::try_member(PodId pod) {
  const cluster::PodRecord& record = cluster_.pod(pod);
  const Kind kind{record.shape, record.priority, record.preemption_policy};
  MemberAttempt& member = attempt_.members.emplace_back();
  member.pod = pod;
  if (const auto known = refused_.find(kind); known != refused_.end() && !record.nominated.valid()) {
    member.same_as = known->second;
    return true;
  }
  if (within_.empty()) {
    scheduler_.decide(pod, detail_, preemption_, member.decision);
  } else {
    scheduler_.decide_within(pod, within_, detail_, preemption_, member.decision);
  }
  const placement::Attempt& attempt = member.decision.attempt;
  if (attempt.scheduled()) {
    place(member);
    return true;
  }
  if (!attempt.error.empty()) return false;
  make_room(member);
  const bool is_final = !member.nominated.valid() && !member.decision.asked_extenders;
  if (is_final && detail_ == placement::Detail::kDecision) refused_[kind] = attempt_.members.size() - 1;
  return true;
}

void Turn::put_member(const Place& known) {
  MemberAttempt& member = attempt_.members.emplace_back();
  member.pod = known.pod;
  // A reader that asks for every detail sees what a decision of its own would have been told.
  if (detail_ == placement::Detail::kFull) {
    scheduler_.decide(known.pod, detail_, placement::Search::kAsConfigured, member.decision);
  }
  member.decision.attempt.pod = known.pod;
  member.decision.attempt.node = known.node;
  member.decision.attempt.consumes = placement::waiting_placeholder(cluster_, known.pod);
  place(member);
}

void Turn::place(MemberAttempt& member) {
  member.node = member.decision.attempt.node;
  member.volumes = put(cluster_, scheduler_, {member.pod, member.node}, member.decision.attempt.consumes);
  refused_.clear();
}

/// A nomination that was made in an earlier turn stays as long as its victims are about to go. Where the caller looks
/// for victims, nominations are the caller's, too.
void Turn::make_room(MemberAttempt& member) {
  if (preemption_ == placement::Search::kNone || !within_.empty()) return;
  const placement::Preemption& preemption = member.decision.preemption;
  const NodeId before = cluster_.pod(member.pod).nominated;
  member.nominated = preemption.node;
  if (before.valid() && preemption.keeps_nomination()) member.nominated = before;
  if (member.nominated == before) return;
  cluster_.nominate(member.pod, member.nominated);
  refused_.clear();
}

GroupAttempt Turn::conclude(cluster::GroupId id) {
  const cluster::PodGroup& group = cluster_.group(id);
  std::optional<placement::Rejection> waits;
  for (std::size_t i = 0; i < attempt_.members.size(); ++i) {
    const MemberAttempt& member = attempt_.members[i];
    const bool has_place = member.node.valid() || member.nominated.valid();
    if (member.node.valid()) ++attempt_.fits;
    if (member.nominated.valid()) ++attempt_.hopeful;
    if (has_place) waits = scheduler_.permit(member.pod);
    if (!has_place && !attempt_.stopped_by) attempt_.stopped_by = i;
  }
  const auto at_last = static_cast<std::int64_t>(group.placed + attempt_.hopeful);
  std::vector<PodId> tried;
  for (const MemberAttempt& member : attempt_.members) tried.push_back(member.pod);
  const bool is_whole = !waits && subgroups_are_met(cluster_, id, tried);
  if (attempt_.fits > 0 && is_whole) {
    attempt_.verdict = Verdict::kStarts;
  } else if (attempt_.hopeful > 0 && at_last >= group.min_count) {
    attempt_.verdict = Verdict::kWaitsForRoom;
    attempt_.refusal = WaitsForVictims();
  } else {
    attempt_.verdict = Verdict::kDoesNotFit;
    attempt_.refusal = TooFewPlaced{waits ? std::optional(waits->reasons.front()) : std::nullopt};
  }
  return std::move(attempt_);
}

GroupAttempt Turn::fail(Refusal refusal) {
  attempt_.verdict = Verdict::kFailed;
  attempt_.refusal = std::move(refusal);
  return std::move(attempt_);
}

}  // namespace

std::vector<PodId> in_order(const cluster::Cluster& cluster, std::span<const PodId> members) {
  std::vector<PodId> order(members.begin(), members.end());
  std::stable_sort(order.begin(), order.end(), [&](PodId a, PodId b) {
    return std::tuple(-std::int64_t{cluster.pod(a).priority}, is_placeholder(cluster, a), cluster.pod(a).uid) <
           std::tuple(-std::int64_t{cluster.pod(b).priority}, is_placeholder(cluster, b), cluster.pod(b).uid);
  });
  return order;
}

bool have_one_scheduler(const cluster::Cluster& cluster, std::span<const PodId> members) {
  return std::ranges::all_of(members, [&](PodId pod) {
    return cluster.shape_of(pod).scheduler_name == cluster.shape_of(members.front()).scheduler_name;
  });
}

namespace {

using Members = std::vector<PodId>;

/// The places first that are known, then the others in their order.
GroupAttempt take_turn(cluster::Cluster& cluster, placement::Scheduler& scheduler, cluster::GroupId group,
                       const Members& order, const Effort& effort, std::span<const Place> known = {}) {
  Turn turn(cluster, scheduler, effort, order.size());
  for (const Place& place : known) turn.put_member(place);
  for (const PodId pod : order) {
    if (std::ranges::find(known, pod, &Place::pod) != known.end() || turn.try_member(pod)) continue;
    return turn.fail(MemberFailed{turn.last_error()});
  }
  return turn.conclude(group);
}

/// Whether other orders or other nodes could help. Each member was tried first on the cluster as it is, unless others
/// had a place then, or were promised one.
bool is_worth_a_search(const GroupAttempt& attempt, const GroupDemand& demand) {
  if (attempt.verdict != Verdict::kDoesNotFit && attempt.verdict != Verdict::kWaitsForRoom) return false;
  return demand.least > 1 || !demand.parts.empty() || attempt.hopeful > 0;
}

GroupSearch search(cluster::Cluster& cluster, placement::Scheduler& scheduler, const GroupDemand& demand,
                   const Effort& effort) {
  if (effort.known != nullptr) return {*effort.known, {}};
  return search_group(cluster, scheduler, demand, cluster.scan_order(), effort.budget);
}

}  // namespace

GroupAttempt attempt(cluster::Cluster& cluster, placement::Scheduler& scheduler, cluster::GroupId group,
                     std::span<const PodId> members, const Effort& effort) {
  if (const std::optional<SchedulersDiffer> differ = disagreement(cluster, members)) {
    return Turn(cluster, scheduler, effort, 0).fail(*differ);
  }
  const Members order = in_order(cluster, members);
  if (effort.placement == GroupPlacement::kInOrder) return take_turn(cluster, scheduler, group, order, effort);
  const GroupDemand demand = demand_of(cluster, scheduler, group, order);
  cluster::Transaction tentatively(cluster, cluster::Visibility::kSeen);
  GroupAttempt attempt = take_turn(cluster, scheduler, group, order, effort);
  if (is_worth_a_search(attempt, demand)) {
    tentatively.rollback();
    const GroupSearch searched = search(cluster, scheduler, demand, effort);
    if (!searched.places.empty()) attempt = take_turn(cluster, scheduler, group, order, effort, searched.places);
    attempt.search = searched.report;
  }
  tentatively.commit();
  return attempt;
}

namespace {

/// What leaves the node before the member, which is nominated to it, has its place.
std::vector<PodId> victims_of(const cluster::Cluster& cluster, const MemberAttempt& member) {
  const placement::Preemption& preemption = member.decision.preemption;
  if (preemption.node == member.nominated && preemption.chosen() != nullptr) return preemption.chosen()->victims;
  std::vector<PodId> victims;
  for (const PodId pod : cluster.pods_on(member.nominated)) {
    if (cluster.pod(pod).terminating) victims.push_back(pod);
  }
  return victims;
}

}  // namespace

bool starts_after_evictions(cluster::Cluster& cluster, placement::Scheduler& scheduler, cluster::GroupId group,
                            std::span<const PodId> members, const GroupAttempt& attempt, GroupPlacement placement) {
  const cluster::Transaction tentatively(cluster, cluster::Visibility::kSeen);
  for (const MemberAttempt& member : attempt.members) {
    if (!member.nominated.valid()) continue;
    cluster.nominate(member.pod, member.nominated);
    for (const PodId victim : victims_of(cluster, member)) {
      if (cluster.pod(victim).node.valid()) cluster.unplace(victim);
    }
  }
  Effort effort;
  effort.placement = placement;
  return gang::attempt(cluster, scheduler, group, members, effort).verdict == Verdict::kStarts;
}

}  // namespace loadline::gang

// The part of Dispatcher that gives groups their turns, and keeps single pods from breaking groups up.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/engine/dispatcher.h"
#include "brain/gang/eviction_units.h"
#include "brain/gang/group_placement.h"
#include "brain/gang/held_room.h"
#include "brain/gang/place.h"
#include "brain/gang/subgroup_choice.h"
#include "brain/gang/topology/close_placement.h"
#include "brain/gang/topology/required_domains.h"
#include "foundation/base/contract.h"

namespace loadline::engine {

using cluster::NodeId;
using cluster::PodId;
using decision::Claims;
using decision::PodTurn;
using decision::Turn;
using decision::Unit;
using decision::UnitRecord;

namespace {

gang::EvictionRules rules_for(const gang::Preemptor& preemptor, const gang::Switches& switches, Instant now) {
  return {switches.victims, preemptor.group, preemptor.priority, now, gang::longest_exemption(switches)};
}

placement::Preemption as_one_candidate(const gang::GroupPreemption& found) {
  placement::Preemption preemption;
  preemption.attempted = true;
  if (found.places.empty()) return preemption;
  preemption.node = found.places.front().node;
  preemption.best = {preemption.node};
  if (found.victims.empty()) return preemption;
  placement::Candidate candidate{preemption.node, {}, 0};
  for (const gang::EvictionUnit& unit : found.victims) {
    candidate.victims.insert(candidate.victims.end(), unit.pods.begin(), unit.pods.end());
  }
  preemption.candidates.push_back(std::move(candidate));
  return preemption;
}

}  // namespace

/// A pod that would break up a group, or end what is not to end yet, looks for victims that leave nobody behind. So
/// does one that finds none, as long as groups hold room that goes with their last pod. Nothing: it has some, or need
/// not look for others.
std::optional<gang::NoVictims> Dispatcher::spare_groups(PodId pod, placement::Decision& decision) {
  const placement::Candidate* chosen = decision.preemption.chosen();
  if (switches_.victims == gang::GroupVictims::kPodByPod) return std::nullopt;
  const bool could_free_room = decision.preemption.attempted && keeper_.holds_room_of_groups();
  if (chosen == nullptr && !could_free_room) return std::nullopt;
  const gang::Preemptor preemptor = gang::preemptor_of(cluster_, pod);
  const gang::EvictionRules rules = rules_for(preemptor, switches_, now_);
  if (chosen != nullptr && gang::may_leave(cluster_, rules, chosen->victims)) return std::nullopt;
  const gang::TryPlace fits = [&] { return try_place(Unit(pod), {pod}); };
  const gang::GroupPreemption found = gang::preempt(cluster_, scheduler_, preemptor, rules, fits);
  if (chosen == nullptr && found.places.empty()) return std::nullopt;
  decision.preemption = as_one_candidate(found);
  return found.why_not;
}

// ---- a group's turn -------------------------------------------------------------------------------------------------

namespace {

using Nominations = std::vector<std::pair<PodId, NodeId>>;

Nominations nominations_of(const cluster::Cluster& cluster, const std::vector<PodId>& pods) {
  Nominations nominations;
  for (const PodId pod : pods) {
    if (const NodeId node = cluster.pod(pod).nominated; node.valid()) nominations.emplace_back(pod, node);
  }
  return nominations;
}

/// Room is no longer kept for one of the pods, where it may have stood in the way of others.
bool is_any_given_up(const cluster::Cluster& cluster, const Nominations& nominations) {
  return std::ranges::any_of(nominations, [&](const auto& nomination) {
    const cluster::PodRecord& record = cluster.pod(nomination.first);
    return record.node != nomination.second && !record.nominated.valid();
  });
}

/// Two members may make room on one node. The first of them answers for the victims they share.
void leave_each_victim_once(std::vector<PodTurn>& pods) {
  std::set<PodId> named;
  for (PodTurn& pod : pods) {
    std::erase_if(pod.victims, [&](PodId victim) { return !named.insert(victim).second; });
  }
}

bool consumes_any(const gang::GroupAttempt& attempt) {
  return std::ranges::any_of(
      attempt.members, [](const gang::MemberAttempt& member) { return member.decision.attempt.consumes.valid(); });
}

std::vector<gang::Place> places_of(const gang::GroupAttempt& attempt) {
  std::vector<gang::Place> places;
  for (const gang::MemberAttempt& member : attempt.members) {
    if (member.node.valid()) places.push_back({member.pod, member.node});
  }
  return places;
}

/// Of a group that does not fit with the room for its later pods: how many these are.
std::int64_t later_pods_of(const cluster::Cluster& cluster, const std::vector<PodId>& members,
                           const gang::GroupAttempt& attempt) {
  if (attempt.verdict != gang::Verdict::kDoesNotFit) return 0;
  const auto later = std::ranges::count_if(members, [&](PodId pod) { return gang::is_placeholder(cluster, pod); });
  return later == std::ssize(members) ? 0 : later;
}

/// Members that had no attempt, because one before them ended in an error.
void fail_untried(Turn& turn, const std::vector<PodId>& members) {
  for (const PodId pod : members) {
    const bool was_tried = std::ranges::find(turn.pods, pod, &PodTurn::pod) != turn.pods.end();
    if (was_tried) continue;
    PodTurn& untried = turn.pods.emplace_back();
    untried.pod = pod;
    untried.why = turn.why;
    untried.is_error = untried.is_repeated = true;
  }
}

}  // namespace

void Dispatcher::decide_group(UnitRecord& group, placement::Detail detail, Turn& turn) {
  const Unit unit = group.unit;
  Waiting& waiting = group.company->members;
  const Nominations nominations = nominations_of(cluster_, waiting);
  const std::uint64_t generation = generation_;
  turn.repeats_search = known_search(group) != nullptr;
  gang::GroupAttempt attempt = try_group(group, detail, turn);
  turn.search = attempt.search;
  turn.verdict = attempt.verdict;
  // A unit that is held back has its reason already.
  decision::Why told = turn.why.empty() ? decision::Why{attempt.refusal, {}, {}} : turn.why;
  told.later_pods = later_pods_of(cluster_, waiting, attempt);
  turn.why = told;
  if (!std::holds_alternative<std::monostate>(attempt.as_a_whole)) turn.why.cause = attempt.as_a_whole;
  turn.fits = attempt.fits;
  turn.hopeful = attempt.hopeful;
  turn.stopped_by = attempt.stopped_by;
  for (const gang::EvictionUnit& each : attempt.victims) turn.evictions.push_back(decision::preemption_of(each, unit));
  turn.pods.reserve(waiting.size());
  placement::WakeUps wake_ups;
  for (gang::MemberAttempt& member : attempt.members) {
    wake_ups |= wake_ups_of(member.decision);
    conclude(member, attempt, told, turn.pods.emplace_back());
    if (member.same_as) turn.pods.back().why = turn.pods[*member.same_as].why;
  }
  leave_each_victim_once(turn.pods);
  REQUIRES(turn.verdict == gang::Verdict::kFailed || turn.pods.size() == waiting.size());
  if (turn.pods.size() < waiting.size()) fail_untried(turn, waiting);
  std::erase_if(waiting, [&](PodId pod) { return cluster_.pod(pod).node.valid(); });
  tell_promises(unit, turn);
  group.company->search.reset();
  if (turn.search && turn.search->ending != gang::SearchEnding::kFound) {
    group.company->search = std::make_unique<decision::KnownSearch>(generation, waiting, *turn.search);
  }
  if (waiting.empty()) {
    close(unit);
  } else {
    queue_.rank(unit);
    queue_.park(unit, wake_ups, need_of(group));
    if (is_any_given_up(cluster_, nominations)) queue_.wake(unit);
  }
  // That may help other units, and the rest of this one.
  for (const PodTurn& pod : turn.pods) {
    if (pod.node.valid()) queue_.pod_placed(pod.pod);
  }
}

/// The group has its places, or is planned for, if it can be.
void Dispatcher::tell_promises(Unit unit, Turn& turn) {
  if (turn.verdict == gang::Verdict::kStarts) {
    queue_.forget_failures(unit);
    std::vector<PodId> started;
    for (const PodTurn& pod : turn.pods) {
      if (pod.node.valid()) started.push_back(pod.pod);
    }
    return promises_.started(unit, started, generation_);
  }
  promises_.settle_due(unit);
  promises_.failed(generation_);
  promises_.refresh(generation_, unit);
  const gang::PlannedStart* planned = promises_.of(unit);
  if (planned == nullptr) return;
  turn.planned_start = *planned;
  turn.awaits = promises_.awaited(*planned);
}

/// What the members claim stays if the group starts. Nobody is evicted for a group that would not start then.
gang::GroupAttempt Dispatcher::try_group(const UnitRecord& unit, placement::Detail detail, Turn& turn) {
  const cluster::GroupId group = unit.unit.group;
  const Waiting& members = unit.members();
  std::vector<NodeId> nominated;
  for (const PodId pod : members) nominated.push_back(cluster_.pod(pod).nominated);
  cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
  const bool is_pod_by_pod = switches_.victims == gang::GroupVictims::kPodByPod;
  const placement::Search preemption = is_pod_by_pod ? placement::Search::kAsConfigured : placement::Search::kNone;
  gang::GroupAttempt attempt = place_group(group, members, {detail, preemption, known_search(unit)});
  if (!promises_.empty() && attempt.verdict != gang::Verdict::kFailed) {
    if (attempt.verdict != gang::Verdict::kStarts || !consumes_any(attempt)) tentatively.rollback();
    if (!may_start(Unit(group), attempt, turn)) return attempt;
  }
  if (attempt.verdict == gang::Verdict::kDoesNotFit && !is_pod_by_pod) {
    tentatively.rollback();
    if (preempts_as_one(group, members)) {
      preempt_as_one(group, members, attempt);
    } else if (!preempt_for_part(group, members, attempt)) {
      preempt_one_by_one(attempt, detail);
    }
    return attempt;
  }
  if (attempt.verdict == gang::Verdict::kWaitsForRoom) {
    tentatively.rollback();
    const bool takes_planned_places = std::ranges::any_of(attempt.members, [&](const gang::MemberAttempt& member) {
      return member.nominated.valid() && promises_.needs(Unit(group), member.nominated);
    });
    if (!takes_planned_places &&
        gang::starts_after_evictions(cluster_, scheduler_, group, members, attempt, switches_.placement)) {
      return attempt;
    }
    attempt.verdict = gang::Verdict::kDoesNotFit;
    attempt.refusal = gang::VictimsWouldNotDo();
  }
  if (attempt.verdict != gang::Verdict::kStarts) return attempt;
  for (const gang::MemberAttempt& member : attempt.members) {
    if (!member.node.valid()) continue;
    if (Claims* claims = claim(member.pod); claims != nullptr) claims->volumes = member.volumes;
  }
  tentatively.commit();
  ++generation_;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const cluster::PodRecord& record = cluster_.pod(members[i]);
    if (nominated[i].valid() && record.node != nominated[i] && record.nominated != nominated[i]) capacity_freed();
  }
  if (!is_pod_by_pod) preempt_one_by_one(attempt, detail);
  return attempt;
}

/// Whether room has to be made for several members at once: the group lacks its minimum, and its profile heeds that.
bool Dispatcher::preempts_as_one(cluster::GroupId group, const Waiting& members) const {
  const cluster::PodGroup& known = cluster_.group(group);
  return static_cast<std::int64_t>(known.placed) < known.min_count && scheduler_.permit(members.front()).has_value();
}

void Dispatcher::preempt_as_one(cluster::GroupId group, const Waiting& members, gang::GroupAttempt& attempt) {
  gang::Preemptor preemptor = gang::preemptor_of(cluster_, group, members);
  if (gang::is_one_unit(cluster_.group(group), switches_.victims)) return make_room_for(std::move(preemptor), attempt);
  make_room_by_own_priority(preemptor, attempt);
}

/// For members that may be evicted by themselves, of which each counts by its own priority then, unless the group has
/// one: what left for the sake of a more important member would evict them again. The most important come first, and
/// with each step of less importance all that are no less important than it.
void Dispatcher::make_room_by_own_priority(const gang::Preemptor& preemptor, gang::GroupAttempt& attempt) {
  if (cluster_.group(preemptor.group).rules.priority) return make_room_for(preemptor, attempt);
  std::set<std::int32_t, std::greater<>> priorities;
  for (const PodId pod : preemptor.members) priorities.insert(cluster_.pod(pod).priority);
  for (const std::int32_t priority : priorities) {
    Waiting members;
    std::ranges::copy_if(preemptor.members, std::back_inserter(members),
                         [&](PodId pod) { return cluster_.pod(pod).priority >= priority; });
    if (members.size() < preemptor.least) continue;
    make_room_for({preemptor.group, members, preemptor.least, priority, std::nullopt}, attempt);
    if (attempt.verdict == gang::Verdict::kWaitsForRoom) return;
  }
}

/// Of a group that has its minimum, and could take further subgroups, the first for which there is room to be made as a
/// whole. False: there is none, and of none of them a member makes room for itself.
bool Dispatcher::preempt_for_part(cluster::GroupId group, const Waiting& members, gang::GroupAttempt& attempt) {
  for (const gang::FurtherPart& part : gang::further_parts(cluster_, group, members)) {
    gang::Preemptor preemptor = gang::preemptor_of(cluster_, group, part.members);
    preemptor.least = part.least;
    make_room_by_own_priority(preemptor, attempt);
    if (attempt.verdict == gang::Verdict::kWaitsForRoom) return true;
    for (gang::MemberAttempt& member : attempt.members) {
      if (std::ranges::find(part.members, member.pod) == part.members.end()) continue;
      member.node = NodeId{};
      member.is_left_out = true;
    }
  }
  return false;
}

/// Room for several members at once, or for none.
void Dispatcher::make_room_for(gang::Preemptor preemptor, gang::GroupAttempt& attempt) {
  const cluster::GroupId group = preemptor.group;
  const Waiting members(preemptor.members.begin(), preemptor.members.end());
  const gang::TryPlace fits = [&] { return try_place(Unit(group), members); };
  preemptor.domains = gang::required_domains(cluster_, trees_, group);
  gang::GroupPreemption found =
      gang::preempt(cluster_, scheduler_, preemptor, rules_for(preemptor, switches_, now_), fits);
  // It would not be let start there, so its victims would have left for nobody, and start anew.
  const bool takes_planned_places = std::ranges::any_of(
      found.places, [&](const gang::Place& place) { return promises_.needs(Unit(group), place.node); });
  if (takes_planned_places) found = {{}, {}, gang::NoVictims{gang::NoVictims::Kind::kPlannedForOthers}};
  gang::apply(std::move(found), attempt, cluster_);
}

/// Members that the group starts without make room for themselves, as single pods do, one after another.
void Dispatcher::preempt_one_by_one(gang::GroupAttempt& attempt, placement::Detail detail) {
  std::map<FailureKey, std::size_t> in_vain;  // since room was last made: the member that told
  const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
  for (std::size_t i = 0; i < attempt.members.size(); ++i) {
    gang::MemberAttempt& member = attempt.members[i];
    if (member.node.valid() || member.is_left_out) continue;
    const cluster::PodRecord& record = cluster_.pod(member.pod);
    const FailureKey kind{record.shape, record.priority, record.preemption_policy};
    if (const auto known = in_vain.find(kind); known != in_vain.end() && !record.nominated.valid()) {
      member.same_as = known->second;
      continue;
    }
    gang::MemberAttempt found;
    if (record.group.valid() && gang::must_be_close(cluster_.group(record.group))) {
      found = decide_nearby(member.same_as ? attempt.members[*member.same_as] : member, member.pod);
    } else {
      scheduler_.decide(member.pod, detail, placement::Search::kAsConfigured, found.decision);
      if (!found.decision.attempt.scheduled()) {
        if (const auto no_victims = spare_groups(member.pod, found.decision)) found.no_victims = {*no_victims};
      }
    }
    if (gang::make_room(cluster_, member, std::move(found))) {
      in_vain.clear();
    } else {
      in_vain[kind] = i;
    }
  }
  gang::count_hopeful(attempt);
}

/// Room for a member is made where its group is, if the group must be in one place. `told`: what it was told so far.
gang::MemberAttempt Dispatcher::decide_nearby(gang::MemberAttempt told, PodId pod) {
  placement::Decision& decision = told.decision;
  gang::Preemptor preemptor = gang::preemptor_of(cluster_, pod);
  const gang::TryPlace fits = [&] { return try_place(Unit(preemptor.group), {pod}) && cluster_.pod(pod).node.valid(); };
  decision.preemption = {};
  cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
  if (fits()) {
    decision.attempt.node = cluster_.pod(pod).node;
    return told;
  }
  tentatively.rollback();
  preemptor.domains = gang::required_domains(cluster_, trees_, preemptor.group);
  const gang::GroupPreemption found =
      gang::preempt(cluster_, scheduler_, preemptor, rules_for(preemptor, switches_, now_), fits);
  decision.preemption = as_one_candidate(found);
  if (found.why_not) told.no_victims.push_back(*found.why_not);
  return told;
}

/// Tries to place the members near each other where that is asked for, else one after another.
gang::GroupAttempt Dispatcher::place_group(cluster::GroupId group, const Waiting& members, gang::Effort effort) {
  return gang::place_group(cluster_, scheduler_, trees_, group, members, gang::obeying(switches_, effort));
}

/// False: the group fits, but others have its room for later. What it claims in the cluster stands again on return, on
/// other places maybe, if it starts.
bool Dispatcher::may_start(const Unit& unit, gang::GroupAttempt& attempt, Turn& turn) {
  if (consumes_any(attempt)) return true;
  Passage passage;
  const bool fits = attempt.verdict == gang::Verdict::kStarts;
  if (fits) passage = promises_.pass(unit, places_of(attempt));
  if (!passage.is_free()) passage.places = promises_.due_places(unit);
  if (passage.is_free()) {
    turn.passed = std::move(passage.passed);
    put_on(attempt, passage.places);
    return true;
  }
  if (!fits) return true;
  attempt.verdict = gang::Verdict::kDoesNotFit;
  turn.why.cause = decision::HeldForPlan{passage.held_by, passage.until};
  return false;
}

void Dispatcher::put_on(gang::GroupAttempt& attempt, const std::vector<gang::Place>& places) {
  attempt.verdict = gang::Verdict::kStarts;
  attempt.refusal = {};
  attempt.stopped_by.reset();
  attempt.fits = places.size();
  // Other members than those that were placed may be the ones that start.
  for (gang::MemberAttempt& member : attempt.members) {
    member.node = member.decision.attempt.node = NodeId{};
    member.volumes.clear();
  }
  for (const gang::Place& place : places) {
    const auto member = std::ranges::find(attempt.members, place.pod, &gang::MemberAttempt::pod);
    REQUIRES(member != attempt.members.end());
    member->same_as.reset();
    member->is_left_out = false;
    member->node = member->decision.attempt.node = place.node;
    member->nominated = NodeId{};
    member->volumes = gang::put(cluster_, scheduler_, place);
  }
}

/// What a search came to that found nothing, if nothing has changed since.
const gang::SearchReport* Dispatcher::known_search(const UnitRecord& group) const {
  const auto& known = group.company->search;
  const bool is_current = known && known->generation == generation_ && known->members == group.members();
  return is_current ? &known->report : nullptr;
}

/// `of_group`: what those are told that have no reason of their own.
void Dispatcher::conclude(gang::MemberAttempt& member, const gang::GroupAttempt& attempt, const decision::Why& of_group,
                          PodTurn& turn) {
  turn.pod = member.pod;
  turn.decision = std::move(member.decision);
  turn.is_repeated = member.same_as.has_value();
  if (attempt.verdict == gang::Verdict::kStarts && member.node.valid()) {
    turn.node = member.node;
    turn.volumes = std::move(member.volumes);
    settle_consumption(turn);
    return;
  }
  const bool is_refused_with_others =
      turn.decision.attempt.scheduled() ||
      (member.nominated.valid() && attempt.verdict == gang::Verdict::kDoesNotFit) ||
      (attempt.verdict == gang::Verdict::kFailed && turn.decision.attempt.error.empty());
  if (is_refused_with_others) {
    turn.why = of_group;
    turn.is_error = attempt.verdict == gang::Verdict::kFailed;
  } else {
    turn.why = {std::move(member.refusal), turn.decision.fit_error, std::move(member.no_victims)};
    turn.is_error = !turn.decision.attempt.error.empty();
    if (!member.same_as && attempt.no_victims) turn.why.no_victims.push_back(*attempt.no_victims);
  }
  settle_nomination(turn, member, attempt.verdict);
  for (const PodId victim : member.victims) {
    if (!cluster_.pod(victim).terminating) turn.victims.push_back(victim);
  }
}

/// Room is made for members of a group that will start then, and for surplus members of one that starts. Nothing else
/// holds room while it waits.
void Dispatcher::settle_nomination(PodTurn& turn, const gang::MemberAttempt& member, gang::Verdict verdict) {
  const bool has_prospect = verdict == gang::Verdict::kStarts || verdict == gang::Verdict::kWaitsForRoom;
  const NodeId node = member.nominated.valid() ? member.nominated : member.node;
  const bool evicts_more = turn.decision.preemption.chosen() != nullptr || !member.victims.empty();
  if (has_prospect && node.valid() && node == cluster_.pod(turn.pod).nominated && !evicts_more) {
    turn.nominated = node;  // as before: others that hope for the node were asked when it was nominated first
    return;
  }
  if (has_prospect && node.valid()) return make_room(turn, node);
  if (!cluster_.pod(turn.pod).nominated.valid()) return;
  cluster_.nominate(turn.pod, NodeId{});
  capacity_freed();
}

}  // namespace loadline::engine

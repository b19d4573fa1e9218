// The part of Dispatcher that answers whoever decides beside it: see decision::Doors.
#include <span>
#include <vector>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/engine/dispatcher.h"
#include "brain/gang/group_placement.h"
#include "brain/gang/place.h"

namespace loadline::engine {

using cluster::PodId;
using decision::Unit;

bool Dispatcher::try_place(const Unit& unit, const std::vector<PodId>& pods) {
  return fit(unit, pods, {.budget = gang::kProbeBudget}) == decision::Fit::kYes;
}

decision::Fit Dispatcher::fit(Unit unit, std::span<const PodId> pods, const decision::Fitting& how) {
  if (!unit.is_group()) return fit_pod(unit.pod, how);
  if (is_gated(unit.group, pods.front())) return decision::Fit::kNo;
  cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
  const placement::Search preemption =
      how.asks_for_victims ? placement::Search::kAsConfigured : placement::Search::kNone;
  gang::Effort effort{placement::Detail::kDecision, preemption, nullptr, how.budget};
  effort.within = how.within;
  const gang::GroupAttempt attempt = place_group(unit.group, {pods.begin(), pods.end()}, effort);
  const bool needs_evictions =
      attempt.verdict == gang::Verdict::kWaitsForRoom || (how.asks_for_victims && attempt.hopeful > 0);
  if (needs_evictions) return decision::Fit::kAfterEvictions;
  if (attempt.verdict != gang::Verdict::kStarts) return decision::Fit::kNo;
  tentatively.commit();
  return decision::Fit::kYes;
}

decision::Fit Dispatcher::fit_pod(PodId pod, const decision::Fitting& how) {
  const placement::Search preemption =
      how.asks_for_victims ? placement::Search::kAsConfigured : placement::Search::kNone;
  placement::Decision decision;
  if (how.within.empty()) {
    scheduler_.decide(pod, placement::Detail::kDecision, preemption, decision);
  } else {
    scheduler_.decide_within(pod, how.within, placement::Detail::kDecision, preemption, decision);
  }
  if (decision.preemption.node.valid()) return decision::Fit::kAfterEvictions;
  if (!decision.attempt.scheduled()) return decision::Fit::kNo;
  gang::put(cluster_, scheduler_, {pod, decision.attempt.node}, decision.attempt.consumes);
  return decision::Fit::kYes;
}

decision::Examined Dispatcher::examine(PodId pod, std::span<const PodId> members) {
  const cluster::GroupId group = cluster_.pod(pod).group;
  if (!group.valid()) {
    decision::Examined alone{false, {}, scheduler_.examine(pod)};
    alone.has_place = alone.examination.decision.attempt.scheduled();
    if (!alone.has_place) alone.stopped = pod;
    return alone;
  }
  decision::Examined result;
  const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
  // In their order, whatever the policy says: only so one of them stops the others.
  gang::Effort effort = gang::obeying(switches_);
  effort.placement = gang::GroupPlacement::kInOrder;
  const gang::GroupAttempt attempt = gang::place_group(cluster_, scheduler_, trees_, group, members, effort);
  if (attempt.stopped_by) result.stopped = attempt.members[*attempt.stopped_by].pod;
  for (const gang::MemberAttempt& member : attempt.members) {
    if (member.pod != pod) continue;
    result.has_place = member.node.valid();
    if (!result.has_place && !member.nominated.valid()) result.stopped = pod;
  }
  if (result.stopped.valid()) result.examination = scheduler_.examine(result.stopped);
  return result;
}

}  // namespace loadline::engine

#include "recorded_decisions/group_comparison.h"

#include <string_view>
#include <utility>

#include "recorded_decisions/comparison.h"
#include "recorded_decisions/topology_comparison.h"

namespace loadline::recorded_decisions {
namespace {

MemberResult result_of(const placement::Decision& decision) {
  if (decision.attempt.scheduled()) return MemberResult::kFits;
  if (!decision.attempt.error.empty()) return MemberResult::kFailed;
  return decision.preemption.node.valid() ? MemberResult::kPreempts : MemberResult::kRejected;
}

std::string text(const RecordedCondition& condition) {
  return condition.status + ' ' + condition.reason + ": " + condition.message;
}

}  // namespace

GroupComparison::GroupComparison(const std::string& case_name, const RecordedGroupCycle& cycle,
                                 std::vector<Divergence>& divergences)
    : case_name_(case_name), cycle_(cycle), divergences_(divergences) {
  facts_.pod_group = cycle.pod_group;
  facts_.min_count = cycle.min_count;
  facts_.is_gone = cycle.is_gone;
  facts_.scheduled_before = cycle.scheduled_before;
  facts_.members = cycle.members.size();
}

void GroupComparison::expect(const std::string& pod, const std::string& what, const std::string& expected,
                             const std::string& actual) {
  if (expected == actual) return;
  divergences_.push_back({case_name_, cycle_.first_attempt, pod, "group: " + what, expected, actual});
}

void GroupComparison::begin_placement() { trials_.push_back({facts_, {}}); }

void GroupComparison::add_turn(const RecordedAttempt& attempt, const placement::Decision& decision) {
  trials_.back().facts.turns.push_back({result_of(decision), text(decision)});
  trials_.back().attempts.push_back(&attempt);
}

void GroupComparison::compare(const std::vector<std::string>& schedulers, GroupConditions& conditions) {
  if (const std::optional<std::string> why = refused_for_schedulers(schedulers)) return compare_refused(*why);
  std::vector<GroupVerdict> verdicts;
  for (const Trial& trial : trials_) {
    verdicts.push_back(group_verdict(trial.facts));
    compare_permits(trial, verdicts.back());
  }
  const ChosenPlacement chosen = cycle_.topology ? choose(cycle_, verdicts) : ChosenPlacement{0, verdicts.front()};
  compare_verdict(trials_[chosen.index], chosen.verdict);
  const bool is_scheduled = chosen.verdict.outcome == "scheduled";
  compare_condition({is_scheduled ? "True" : "False", chosen.verdict.reason, chosen.verdict.message}, conditions);
}

void GroupComparison::compare_refused(const std::string& why) {
  std::size_t tried = 0;
  for (const Trial& trial : trials_) tried += trial.attempts.size();
  expect(cycle_.pod_group, "outcome", cycle_.outcome, "error");
  expect(cycle_.pod_group, "members tried", std::to_string(tried), "0");
  for (const RecordedMember& member : cycle_.members) {
    compare_member(member, {false, "SchedulerError", why, Nomination::kWithdrawn}, {}, 0);
  }
}

void GroupComparison::compare_untried(const std::string& why, bool is_error, bool is_ambiguous,
                                      GroupConditions& conditions) {
  constexpr std::string_view kContradiction = "cannot determine domain for already scheduled pods: ";
  const std::string& told = cycle_.members.front().message;
  const bool is_node_gone = told.starts_with(std::string(kContradiction) + "getting node for pod ");
  if (is_node_gone || (is_ambiguous && told != why)) {
    if (cycle_.condition) conditions[cycle_.pod_group] = *cycle_.condition;
    return;
  }
  const std::string text = why.starts_with(kContradiction) && told.starts_with(kContradiction) ? told : why;
  const std::string reason = is_error ? "SchedulerError" : "Unschedulable";
  expect(cycle_.pod_group, "outcome", cycle_.outcome, is_error ? "error" : "unschedulable");
  const Nomination nomination = is_error ? Nomination::kWithdrawn : Nomination::kAsDecided;
  for (const RecordedMember& member : cycle_.members) {
    compare_member(member, {false, reason, text, nomination}, {}, 0);
  }
  compare_condition({"False", reason, text}, conditions);
}

void GroupComparison::compare_permits(const Trial& trial, const GroupVerdict& verdict) {
  for (std::size_t i = 0; i < trial.attempts.size(); ++i) {
    expect(trial.attempts[i]->pod, "permit", trial.attempts[i]->permit, verdict.permits[i]);
  }
}

void GroupComparison::compare_verdict(const Trial& trial, const GroupVerdict& verdict) {
  expect(cycle_.pod_group, "outcome", cycle_.outcome, verdict.outcome);
  for (std::size_t i = 0; i < cycle_.members.size(); ++i) {
    compare_member(cycle_.members[i], verdict.members[i], trial, i);
  }
}

void GroupComparison::compare_member(const RecordedMember& member, const MemberVerdict& verdict, const Trial& trial,
                                     std::size_t index) {
  expect(member.pod, "bound", member.node ? "yes" : "no", verdict.bound ? "yes" : "no");
  expect(member.pod, "reason", member.reason, verdict.reason);
  expect(member.pod, "message", with_sorted_errors(member.message), with_sorted_errors(verdict.message));
  if (verdict.bound || verdict.nomination == Nomination::kAsDecided) return;
  const bool is_nominated = verdict.nomination == Nomination::kToItsNode && index < trial.attempts.size();
  expect(member.pod, "nominated", member.nominated_node.empty() ? "no" : "yes", is_nominated ? "yes" : "no");
}

/// A group that was scheduled once stays so, whatever becomes of members that come later.
void GroupComparison::compare_condition(const RecordedCondition& now, GroupConditions& conditions) {
  if (cycle_.is_gone) {
    conditions.erase(cycle_.pod_group);
    return expect(cycle_.pod_group, "condition", cycle_.condition ? text(*cycle_.condition) : "", "");
  }
  RecordedCondition& kept = conditions[cycle_.pod_group];
  if (kept.status != "True" || now.status == "True") kept = now;
  expect(cycle_.pod_group, "condition", cycle_.condition ? text(*cycle_.condition) : "", text(kept));
}

}  // namespace loadline::recorded_decisions

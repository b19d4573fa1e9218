#include "recorded_decisions/group_comparison.h"

#include <utility>

#include "recorded_decisions/comparison.h"

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

void GroupComparison::add_turn(const RecordedAttempt& attempt, const placement::Decision& decision) {
  facts_.turns.push_back({result_of(decision), decision.message});
  attempts_.push_back(&attempt);
}

void GroupComparison::compare(const std::vector<std::string>& schedulers, GroupConditions& conditions) {
  if (const std::optional<std::string> why = refused_for_schedulers(schedulers)) return compare_refused(*why);
  const GroupVerdict verdict = group_verdict(facts_);
  compare_verdict(verdict);
  const bool is_scheduled = verdict.outcome == "scheduled";
  compare_condition({is_scheduled ? "True" : "False", verdict.reason, verdict.message}, conditions);
}

void GroupComparison::compare_refused(const std::string& why) {
  expect(cycle_.pod_group, "outcome", cycle_.outcome, "error");
  expect(cycle_.pod_group, "members tried", std::to_string(attempts_.size()), "0");
  for (const RecordedMember& member : cycle_.members) {
    compare_member(member, {false, "SchedulerError", why, Nomination::kWithdrawn}, attempts_.size());
  }
}

void GroupComparison::compare_verdict(const GroupVerdict& verdict) {
  expect(cycle_.pod_group, "outcome", cycle_.outcome, verdict.outcome);
  for (std::size_t i = 0; i < attempts_.size(); ++i) {
    expect(attempts_[i]->pod, "permit", attempts_[i]->permit, verdict.permits[i]);
  }
  for (std::size_t i = 0; i < cycle_.members.size(); ++i) {
    compare_member(cycle_.members[i], verdict.members[i], i);
  }
}

void GroupComparison::compare_member(const RecordedMember& member, const MemberVerdict& verdict, std::size_t index) {
  expect(member.pod, "bound", member.node ? "yes" : "no", verdict.bound ? "yes" : "no");
  expect(member.pod, "reason", member.reason, verdict.reason);
  expect(member.pod, "message", with_sorted_errors(member.message), with_sorted_errors(verdict.message));
  if (verdict.bound || verdict.nomination == Nomination::kAsDecided) return;
  const bool is_nominated = verdict.nomination == Nomination::kToItsNode && index < attempts_.size();
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

#pragma once

#include <map>
#include <string>
#include <vector>

#include "brain/placement/scheduler.h"
#include "recorded_decisions/divergence.h"
#include "recorded_decisions/group_verdict.h"
#include "recorded_decisions/recorded_case.h"

namespace loadline::recorded_decisions {

/// What the condition PodGroupScheduled of each group says, by "namespace/name".
using GroupConditions = std::map<std::string, RecordedCondition, std::less<>>;

/// Compares what our decisions about the members make of their group with what was recorded.
class GroupComparison {
 public:
  /// REQUIRES: what is referred to outlives this.
  GroupComparison(const std::string& case_name, const RecordedGroupCycle& cycle, std::vector<Divergence>& divergences);

  void add_turn(const RecordedAttempt& attempt, const placement::Decision& decision);
  /// `schedulers` are those that the members name. `conditions` are those before the cycle, and then after it.
  void compare(const std::vector<std::string>& schedulers, GroupConditions& conditions);

 private:
  void compare_refused(const std::string& why);
  void compare_verdict(const GroupVerdict& verdict);
  void compare_member(const RecordedMember& member, const MemberVerdict& verdict, std::size_t index);
  void compare_condition(const RecordedCondition& now, GroupConditions& conditions);
  void expect(const std::string& pod, const std::string& what, const std::string& expected, const std::string& actual);

  const std::string& case_name_;
  const RecordedGroupCycle& cycle_;
  std::vector<Divergence>& divergences_;
  GroupFacts facts_;
  std::vector<const RecordedAttempt*> attempts_;
};

}  // namespace loadline::recorded_decisions

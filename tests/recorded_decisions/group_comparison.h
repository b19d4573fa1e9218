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

  /// The turns that follow are those in the next placement. To be called once where there is but one.
  void begin_placement();
  /// REQUIRES: begin_placement().
  void add_turn(const RecordedAttempt& attempt, const placement::Decision& decision);
  /// `schedulers` are those that the members name. `conditions` are those before the cycle, and then after it.
  void compare(const std::vector<std::string>& schedulers, GroupConditions& conditions);
  /// No member was tried: the group's constraint leaves no domain, or contradicts where members are, which is an error.
  /// `why` is what we say; which members, or which domains of theirs, it names is chance. A member on a node that is
  /// gone is an error in kube-scheduler, and on no node here: then nothing is compared. `is_ambiguous`: the cluster
  /// changed before the attempt that follows, be it before this cycle or after it.
  void compare_untried(const std::string& why, bool is_error, bool is_ambiguous, GroupConditions& conditions);

 private:
  /// What was tried in one placement.
  struct Trial {
    GroupFacts facts;
    std::vector<const RecordedAttempt*> attempts;
  };
  void compare_refused(const std::string& why);
  void compare_permits(const Trial& trial, const GroupVerdict& verdict);
  void compare_verdict(const Trial& trial, const GroupVerdict& verdict);
  void compare_member(const RecordedMember& member, const MemberVerdict& verdict, const Trial& trial,
                      std::size_t index);
  void compare_condition(const RecordedCondition& now, GroupConditions& conditions);
  void expect(const std::string& pod, const std::string& what, const std::string& expected, const std::string& actual);

  const std::string& case_name_;
  const RecordedGroupCycle& cycle_;
  std::vector<Divergence>& divergences_;
  GroupFacts facts_;  // before any turn
  std::vector<Trial> trials_;
};

}  // namespace loadline::recorded_decisions

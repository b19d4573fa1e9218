#include "recorded_decisions/group_verdict.h"

#include <algorithm>

namespace loadline::recorded_decisions {
namespace {

constexpr const char* kUnschedulable = "pod group is unschedulable";
constexpr const char* kWaiting = "pod group is unschedulable, pod group is waiting for preemption to complete";
constexpr const char* kTooFew =
    "pod group is unschedulable, waiting for minCount pods from a gang to be scheduled, "
    "one or more plugins asked to wait and no plugin rejected pod";

std::string gone(const std::string& pod_group) {
  const std::string name = pod_group.substr(pod_group.find('/') + 1);
  return "running Permit plugin \"GangScheduling\": failed to get podGroup " + pod_group +
         ": podgroup.scheduling.k8s.io \"" + name + "\" not found";
}

/// Goes through the turns as the cycle does.
class Judge {
 public:
  explicit Judge(const GroupFacts& facts) : facts_(facts), placed_(facts.scheduled_before) {}

  GroupVerdict judge() {
    verdict_.outcome = "unschedulable";
    for (const MemberTurn& turn : facts_.turns) hear(turn);
    if (!error_.empty()) verdict_.outcome = "error";
    describe_group();
    for (std::size_t i = 0; i < facts_.members; ++i) verdict_.members.push_back(member(i));
    return std::move(verdict_);
  }

 private:
  void hear(const MemberTurn& turn) {
    if (turn.result == MemberResult::kFailed) error_ = turn.message;
    if (turn.result == MemberResult::kFailed || turn.result == MemberResult::kRejected) {
      verdict_.permits.emplace_back();
      return;
    }
    ++placed_;
    preempts_ = preempts_ || turn.result == MemberResult::kPreempts;
    verdict_.permits.emplace_back(permit());
    if (facts_.is_gone) error_ = gone(facts_.pod_group);
    if (verdict_.permits.back() == "Success") verdict_.outcome = preempts_ ? "waiting for preemption" : "scheduled";
  }

  /// Counts the members that have a node, and those that were given one in this cycle.
  [[nodiscard]] const char* permit() const {
    if (facts_.is_gone) return "Error";
    return facts_.min_count.value_or(0) > placed_ ? "Wait" : "Success";
  }

  void describe_group() {
    verdict_.reason = "Unschedulable";
    if (verdict_.outcome == "scheduled") {
      verdict_.reason = "Scheduled";
    } else if (verdict_.outcome == "error") {
      verdict_.reason = "SchedulerError";
      verdict_.message = "failed to schedule other pod from a pod group: " + error_;
    } else {
      verdict_.message = verdict_.outcome == "unschedulable" ? kUnschedulable : kWaiting;
    }
  }

  [[nodiscard]] MemberVerdict member(std::size_t index) const {
    if (verdict_.outcome == "error") {
      const bool its_own = index + 1 == facts_.turns.size();
      return {false, "SchedulerError", its_own ? error_ : verdict_.message, Nomination::kWithdrawn};
    }
    if (index >= facts_.turns.size()) return {};
    const MemberTurn& turn = facts_.turns[index];
    const bool waits = verdict_.outcome == "waiting for preemption";
    if (turn.result == MemberResult::kFits && verdict_.outcome == "scheduled") return {true, {}, {}, {}};
    if (turn.result == MemberResult::kFits && waits) return {false, "Unschedulable", kWaiting, Nomination::kToItsNode};
    if (turn.result == MemberResult::kPreempts && waits) {
      return {false, "Unschedulable", turn.message, Nomination::kToItsNode};
    }
    if (turn.result == MemberResult::kRejected) return {false, "Unschedulable", turn.message, Nomination::kAsDecided};
    return {false, "Unschedulable", kTooFew, Nomination::kWithdrawn};  // also one whose victims are gone by now
  }

  const GroupFacts& facts_;
  int placed_;
  bool preempts_ = false;
  std::string error_;
  GroupVerdict verdict_;
};

}  // namespace

GroupVerdict group_verdict(const GroupFacts& facts) { return Judge(facts).judge(); }

std::optional<std::string> refused_for_schedulers(const std::vector<std::string>& schedulers) {
  const auto other = std::find_if(schedulers.begin(), schedulers.end(),
                                  [&](const std::string& name) { return name != schedulers.front(); });
  if (other == schedulers.end()) return std::nullopt;
  return "all pods in a single pod group should have the same .spec.schedulerName set, got: \"" + *other + "\" and \"" +
         schedulers.front() + '"';
}

}  // namespace loadline::recorded_decisions

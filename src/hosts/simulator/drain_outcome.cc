#include "hosts/simulator/drain_outcome.h"

#include <algorithm>
#include <map>
#include <set>

#include "hosts/simulator/group_index.h"

namespace loadline::simulator {
namespace {

PodName name_of(const PlannedPod& pod) { return {pod.name_space, pod.name}; }

std::set<PodName> held_pods(const Plan& after) {
  std::set<PodName> held;
  for (const RefusedEviction& refused : after.refused_evictions) held.insert(name_of(after.pods[refused.pod]));
  return held;
}

/// Reads what became of gangs from the plan in which they leave.
class GangsOfPlan {
 public:
  GangsOfPlan(const Plan& after, Instant now)
      : after_(after), now_(now), index_(after.groups), pods_(after.groups.size()), held_(held_pods(after)) {
    for (const PlannedPod& pod : after.pods) {
      const std::optional<std::size_t> group = index_.of(pod);
      if (group) pods_[*group].push_back(&pod);
    }
  }

  [[nodiscard]] GangAfterwards of(const PlannedGroup& before, const LeavingGang& gang) const {
    using Kind = GangAfterwards::Kind;
    const auto is_held = [&](const PodName& pod) { return held_.contains(pod); };
    if (std::ranges::any_of(gang.pods, is_held)) return {Kind::kIsHeld, {}, {}};
    const std::optional<std::size_t> group = index_.of(before);
    if (!group) return {Kind::kNotBroughtBack, {}, {}};
    if (after_.groups[*group].outcome == GroupOutcome::kStarted) return going_on(pods_[*group], gang);
    if (std::ranges::none_of(pods_[*group], is_there)) return {Kind::kNotBroughtBack, {}, {}};
    GangAfterwards waits{Kind::kWaits, {}, {}};
    if (after_.groups[*group].start) waits.at = after_.groups[*group].start->at;
    return waits;
  }

 private:
  using Pods = std::vector<const PlannedPod*>;

  /// Waits, or has a node: it has neither left nor ended.
  static bool is_there(const PlannedPod* pod) {
    return pod->outcome != PodOutcome::kEvicted && pod->outcome != PodOutcome::kPreempted &&
           pod->outcome != PodOutcome::kEnded;
  }

  [[nodiscard]] GangAfterwards going_on(const Pods& members, const LeavingGang& gang) const {
    std::set<std::string> nodes;
    Instant at = gang.leaves.at;
    for (const PlannedPod* pod : members) {
      if (pod->outcome != PodOutcome::kPlaced && pod->outcome != PodOutcome::kRunning) continue;
      nodes.insert(pod->node);
      if (pod->outcome == PodOutcome::kPlaced) at = std::max(at, now_ + pod->after);
    }
    return {GangAfterwards::Kind::kGoesOn, {nodes.begin(), nodes.end()}, at};
  }

  const Plan& after_;
  Instant now_;
  GroupIndex index_;
  std::vector<Pods> pods_;  // by group
  std::set<PodName> held_;
};

/// When the pods are gone that left these nodes, by the node: each takes its grace period.
std::map<std::string, Instant> gone_from_nodes(const Plan& after, const PodRuns& runs, Instant now) {
  std::map<std::string, Instant> gone;
  for (const PlannedPod& pod : after.pods) {
    if (pod.outcome != PodOutcome::kEvicted && pod.outcome != PodOutcome::kPreempted) continue;
    const auto run = runs.find(name_of(pod));
    if (run == runs.end()) continue;
    const Instant at = now + pod.after + run->second.known.grace;
    const auto [found, is_first] = gone.try_emplace(pod.node, at);
    if (!is_first) found->second = std::max(found->second, at);
  }
  return gone;
}

std::vector<LateNode> late_nodes(Instant deadline, const std::vector<DrainedNode>& drains, const Plan& after,
                                 const PodRuns& runs, Instant now) {
  const std::map<std::string, Instant> gone = gone_from_nodes(after, runs, now);
  const std::set<PodName> held = held_pods(after);
  std::vector<LateNode> late;
  for (const DrainedNode& drained : drains) {
    const bool is_never_free =
        !drained.unmanaged.empty() ||
        std::ranges::any_of(drained.evicted, [&](const PodName& pod) { return held.contains(pod); });
    const auto last = gone.find(drained.node);
    if (is_never_free || last == gone.end() || last->second <= deadline) continue;
    late.push_back({drained.node, last->second});
  }
  return late;
}

}  // namespace

DrainOutcome drain_outcome(const DrainSchedule& schedule, const std::vector<DrainedNode>& drains, const Plan& before,
                           const Plan& after, const PodRuns& runs, Instant now) {
  const GangsOfPlan plan(after, now);
  DrainOutcome outcome;
  for (const LeavingGang& gang : schedule.gangs) {
    outcome.gangs.push_back(plan.of(before.groups[gang.group], gang));
  }
  outcome.late = late_nodes(schedule.deadline, drains, after, runs, now);
  return outcome;
}

}  // namespace loadline::simulator

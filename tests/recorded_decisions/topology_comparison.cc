#include "recorded_decisions/topology_comparison.h"

#include <algorithm>
#include <cstdint>

namespace loadline::recorded_decisions {

using cluster::NodeId;
using cluster::PodId;

namespace {

/// The placement that members were bound in; the first if none was.
std::size_t taken(const RecordedGroupCycle& cycle) {
  const std::vector<RecordedPlacement>& placements = cycle.topology->placements;
  for (const RecordedMember& member : cycle.members) {
    if (!member.node) continue;
    for (std::size_t i = 0; i < placements.size(); ++i) {
      if (std::ranges::find(placements[i].nodes, *member.node) != placements[i].nodes.end()) return i;
    }
  }
  return 0;
}

bool is_feasible(const GroupVerdict& verdict) {
  return verdict.outcome == "scheduled" || verdict.outcome == "waiting for preemption";
}

}  // namespace

std::vector<NodeId> nodes_of(const RecordedPlacement& placement, const ReplayedCluster& state) {
  const cluster::Cluster& cluster = state.cluster();
  std::vector<bool> is_inside(cluster.node_slots());
  for (const int index : placement.nodes) {
    const NodeId node = cluster.find_node(state.recorded().node_names[static_cast<std::size_t>(index)]);
    if (node.valid()) is_inside[node.index()] = true;
  }
  std::vector<NodeId> nodes;
  for (const NodeId node : cluster.scan_order()) {
    if (is_inside[node.index()]) nodes.push_back(node);
  }
  return nodes;
}

ChosenPlacement choose(const RecordedGroupCycle& cycle, const std::vector<GroupVerdict>& verdicts) {
  const auto failed = std::ranges::find(verdicts, "error", &GroupVerdict::outcome);
  if (failed != verdicts.end()) return {static_cast<std::size_t>(failed - verdicts.begin()), *failed};
  const auto feasible = std::ranges::count_if(verdicts, is_feasible);
  if (feasible == 0) {
    ChosenPlacement first{0, verdicts.front()};
    first.verdict.message = "0/" + std::to_string(cycle.topology->placements.size()) +
                            " placements are available, first placement status: pod group is unschedulable";
    return first;
  }
  std::size_t index = taken(cycle);
  if (feasible == 1) index = static_cast<std::size_t>(std::ranges::find_if(verdicts, is_feasible) - verdicts.begin());
  return {index, verdicts[index]};
}

void compare_placement_scores(const std::string& case_name, const RecordedGroupCycle& cycle,
                              std::span<const RecordedAttempt> attempts, ReplayedCluster& state,
                              const placement::Scheduler& scheduler, std::vector<Divergence>& divergences) {
  const std::vector<RecordedPlacement>& placements = cycle.topology->placements;
  const auto expect = [&](const std::string& what, std::int64_t expected, std::int64_t actual) {
    if (expected == actual) return;
    divergences.push_back({case_name, cycle.first_attempt, cycle.pod_group, "placement: " + what,
                           std::to_string(expected), std::to_string(actual)});
  };
  std::vector<std::vector<PodId>> assigned;
  std::int64_t most = 0;
  std::int64_t best = 0;
  for (const RecordedPlacement& placement : placements) {
    std::vector<PodId>& pods = assigned.emplace_back();
    for (const RecordedAttempt& attempt : attempts.first(placement.attempts)) {
      if (attempt.assumed) pods.push_back(*state.pod(attempt.pod));
    }
    attempts = attempts.subspan(placement.attempts);
    if (!placement.score) continue;
    most = std::max(most, cycle.scheduled_before + std::ssize(pods));
    best = std::max(best, *placement.score);
  }
  for (std::size_t i = 0; i < placements.size(); ++i) {
    if (!placements[i].score) continue;
    const cluster::Cluster& cluster = state.cluster();
    const auto name = cluster.symbols().text(cluster.shape_of(assigned[i].front()).scheduler_name);
    const placement::DomainScoring& scoring = scheduler.profile(name)->domain_scoring();
    const std::int64_t fit =
        placement::most_allocated_in(cluster, nodes_of(placements[i], state), assigned[i], scoring.resources);
    const std::int64_t count = (cycle.scheduled_before + std::ssize(assigned[i])) * 100 / most;
    expect("score of " + placements[i].name, *placements[i].score, scoring.fit * fit + scoring.pods_count * count);
    if (taken(cycle) == i) expect("score of the one taken", *placements[i].score, best);
  }
}

}  // namespace loadline::recorded_decisions

#include "brain/placement/dry_run.h"

#include <algorithm>
#include <limits>
#include <string>

#include "brain/placement/budget_use.h"
#include "brain/placement/tentative_moves.h"

namespace loadline::placement {

using cluster::NodeId;
using cluster::PodId;

namespace {

constexpr std::string_view kPlugin = "DefaultPreemption";

/// Priority first; among equals the one that has run longer. Pods that have not started count as started last.
bool more_important(const cluster::PodRecord& a, const cluster::PodRecord& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  constexpr Instant kNow{std::numeric_limits<std::int64_t>::max()};
  return a.started.value_or(kNow) < b.started.value_or(kNow);
}

void sort_by_importance(const cluster::Cluster& cluster, std::vector<PodId>& pods) {
  std::stable_sort(pods.begin(), pods.end(),
                   [&](PodId a, PodId b) { return more_important(cluster.pod(a), cluster.pod(b)); });
}

/// Walks the pods in their order; those that overdraw a budget come first afterwards. Returns how many.
std::size_t put_budget_violations_first(const cluster::Cluster& cluster, std::vector<PodId>& pods) {
  BudgetUse budgets(cluster);
  if (budgets.empty()) return 0;
  std::vector<PodId> guarded, free;
  for (const PodId pod : pods) (budgets.overdraws(pod) ? guarded : free).push_back(pod);
  pods = guarded;
  pods.insert(pods.end(), free.begin(), free.end());
  return guarded.size();
}

}  // namespace

EvictionCost eviction_cost(const cluster::Cluster& cluster, const Candidate& candidate) {
  EvictionCost cost;
  cost.budget_violations = candidate.budget_violations;
  cost.highest_priority = cluster.pod(candidate.victims.front()).priority;
  cost.victims = static_cast<std::int64_t>(candidate.victims.size());
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();  // not started: now
  for (const PodId pod : candidate.victims) {
    const cluster::PodRecord& record = cluster.pod(pod);
    cost.priorities += std::int64_t{record.priority} + (std::int64_t{1} << 31);
    if (record.priority != cost.highest_priority || !record.started) continue;
    earliest = std::min(earliest, record.started->nanoseconds);
  }
  cost.running_since = -earliest;
  return cost;
}

DryRun dry_run(Cycle& cycle, NodeId node) {
  const cluster::Cluster& cluster = cycle.cluster();
  std::vector<PodId> pods;
  for (const PodId pod : cluster.pods_on(node)) {
    // Held room is nobody's to take away: there is no pod to evict.
    if (cluster.pod(pod).reservation.valid()) continue;
    if (cluster.pod(pod).priority < cycle.record().priority) pods.push_back(pod);
  }
  if (pods.empty()) {
    return {std::nullopt, cycle.reject({kPlugin, Code::kUnresolvable, {{ReasonKind::kNoVictims, ""}}})};
  }
  TentativeMoves moves(cycle);
  for (const PodId pod : pods) moves.unplace(pod);
  if (const RejectionId rejection = cycle.filter_node(node); rejection != kPassed) return {std::nullopt, rejection};

  sort_by_importance(cluster, pods);
  const std::size_t guarded = put_budget_violations_first(cluster, pods);
  Candidate candidate{node, {}, 0};
  for (std::size_t i = 0; i < pods.size(); ++i) {
    moves.place(pods[i], node);
    if (cycle.filter_node(node) == kPassed) continue;
    moves.unplace(pods[i]);
    candidate.victims.push_back(pods[i]);
    if (i < guarded) ++candidate.budget_violations;
  }
  if (candidate.victims.empty()) {
    const std::string text = "expected at least one victim pod on node \"" + std::string(cluster.node_name(node)) + '"';
    return {std::nullopt, cycle.reject({kPlugin, Code::kError, {{ReasonKind::kOther, text}}})};
  }
  sort_by_importance(cluster, candidate.victims);
  return {std::move(candidate), RejectionId{}};
}

}  // namespace loadline::placement

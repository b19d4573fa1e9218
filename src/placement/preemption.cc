#include "placement/preemption.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "placement/trial.h"

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

/// One dry run's outcome: a candidate, or the verdict that rules the node out.
struct DryRun {
  std::optional<Candidate> candidate;
  RejectionId verdict;
};

class DryRuns final {
 public:
  explicit DryRuns(Cycle& cycle) : cycle_(cycle), cluster_(cycle.cluster()) {}

  DryRun dry_run(NodeId node) {
    std::vector<PodId> pods;
    for (const PodId pod : cluster_.pods_on(node)) {
      if (cluster_.pod(pod).priority < cycle_.record().priority) pods.push_back(pod);
    }
    if (pods.empty()) {
      return {std::nullopt, cycle_.reject({kPlugin, Code::kUnresolvable, {{ReasonKind::kNoVictims, ""}}})};
    }
    Trial trial(cycle_);
    for (const PodId pod : pods) trial.lift(pod);
    if (const RejectionId verdict = cycle_.filter_node(node); verdict != kPassed) return {std::nullopt, verdict};

    std::stable_sort(pods.begin(), pods.end(),
                     [&](PodId a, PodId b) { return more_important(cluster_.pod(a), cluster_.pod(b)); });
    const std::size_t guarded = put_budget_violations_first(pods);
    Candidate candidate{node, {}, 0};
    for (std::size_t i = 0; i < pods.size(); ++i) {
      trial.place(pods[i], node);
      if (cycle_.filter_node(node) == kPassed) continue;
      trial.lift(pods[i]);
      candidate.victims.push_back(pods[i]);
      if (i < guarded) ++candidate.budget_violations;
    }
    std::stable_sort(candidate.victims.begin(), candidate.victims.end(),
                     [&](PodId a, PodId b) { return more_important(cluster_.pod(a), cluster_.pod(b)); });
    if (candidate.victims.empty()) {
      const std::string text =
          "expected at least one victim pod on node \"" + std::string(cluster_.node_name(node)) + '"';
      return {std::nullopt, cycle_.reject({kPlugin, Code::kError, {{ReasonKind::kOther, text}}})};
    }
    return {std::move(candidate), RejectionId{}};
  }

 private:
  /// Walks the pods in their order, drawing on every budget that guards them; those that overdraw one come first
  /// afterwards. Returns how many. A budget with an empty selector guards nothing here, as upstream has it.
  std::size_t put_budget_violations_first(std::vector<PodId>& pods) const {
    std::vector<cluster::DisruptionBudget> const& budgets = cluster_.belonging().budgets();
    std::vector<std::int32_t> left;
    for (const cluster::DisruptionBudget& budget : budgets) left.push_back(budget.allowed);
    const auto violates = [&](PodId pod) {
      const cluster::PodShape& shape = cluster_.shape_of(pod);
      if (shape.labels.empty()) return false;
      bool overdrawn = false;
      for (std::size_t i = 0; i < budgets.size(); ++i) {
        const cluster::DisruptionBudget& budget = budgets[i];
        if (budget.name_space != shape.name_space || budget.selector.empty()) continue;
        if (!budget.selector.matches(shape.labels, cluster_.symbols())) continue;
        const auto& counted = budget.disrupted_pods;
        if (std::binary_search(counted.begin(), counted.end(), cluster_.pod(pod).name)) continue;
        overdrawn = --left[i] < 0 || overdrawn;
      }
      return overdrawn;
    };
    std::vector<PodId> guarded, free;
    for (const PodId pod : pods) (violates(pod) ? guarded : free).push_back(pod);
    pods = guarded;
    pods.insert(pods.end(), free.begin(), free.end());
    return guarded.size();
  }

  Cycle& cycle_;
  cluster::Cluster& cluster_;
};

/// Keeps the candidates with the highest score.
template <class Score>
void keep_best(const std::vector<Candidate>& candidates, std::vector<std::size_t>& left, Score&& score) {
  std::int64_t best = std::numeric_limits<std::int64_t>::min();
  std::vector<std::size_t> kept;
  for (const std::size_t i : left) {
    const std::int64_t value = score(candidates[i]);
    if (value > best) kept.clear();
    best = std::max(best, value);
    if (value == best) kept.push_back(i);
  }
  left = std::move(kept);
}

std::vector<NodeId> rank(const cluster::Cluster& cluster, const std::vector<Candidate>& candidates) {
  std::vector<std::size_t> left(candidates.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  const auto priority = [&](PodId pod) { return std::int64_t{cluster.pod(pod).priority}; };

  keep_best(candidates, left, [](const Candidate& c) { return -c.budget_violations; });
  keep_best(candidates, left, [&](const Candidate& c) { return -priority(c.victims.front()); });
  keep_best(candidates, left, [&](const Candidate& c) {
    // Every victim weighs at least 1, so that one of priority 1 beats two of priority 0.
    std::int64_t sum = 0;
    for (const PodId pod : c.victims) sum += priority(pod) + (std::int64_t{1} << 31);
    return -sum;
  });
  keep_best(candidates, left, [](const Candidate& c) { return -static_cast<std::int64_t>(c.victims.size()); });
  keep_best(candidates, left, [&](const Candidate& c) {
    std::int64_t earliest = std::numeric_limits<std::int64_t>::max();  // not started: now
    for (const PodId pod : c.victims) {
      if (priority(pod) != priority(c.victims.front()) || !cluster.pod(pod).started) continue;
      earliest = std::min(earliest, cluster.pod(pod).started->nanoseconds);
    }
    return earliest;
  });
  std::vector<NodeId> nodes;
  for (const std::size_t i : left) nodes.push_back(candidates[i].node);
  return nodes;
}

/// A pod whose victims are still leaving its nominated node waits for them rather than taking more.
bool victims_are_leaving(const cluster::Cluster& cluster, const cluster::PodRecord& pod) {
  for (const PodId other : cluster.pods_on(pod.nominated)) {
    const cluster::PodRecord& record = cluster.pod(other);
    if (record.priority < pod.priority && record.terminating_by_preemption) return true;
  }
  return false;
}

std::size_t candidates_wanted(const kube::DefaultPreemptionArgs& args, std::size_t nodes) {
  const std::size_t share = nodes * static_cast<std::size_t>(args.min_candidate_nodes_percentage) / 100;
  return std::min(std::max(share, static_cast<std::size_t>(args.min_candidate_nodes_absolute)), nodes);
}

}  // namespace

const Candidate* Preemption::chosen() const {
  for (const Candidate& candidate : candidates) {
    if (candidate.node == node) return &candidate;
  }
  return nullptr;
}

Preemption find_preemption(Cycle& cycle, const Profile& profile, const Attempt& attempt,
                           const RejectionTable& rejections, Search search) {
  Preemption result;
  result.attempted = true;
  const cluster::Cluster& cluster = cycle.cluster();
  const cluster::PodRecord pod = cycle.record();
  if (pod.preemption_policy == kube::PreemptionPolicy::kNever) {
    result.eligible = false;
    result.why_not = "not eligible due to preemptionPolicy=Never.";
    return result;
  }
  const auto verdict_of = [&](NodeId node) {
    const RejectionId verdict = attempt.verdicts[node.index()];
    return verdict.valid() ? verdict : attempt.absent;
  };
  const auto code_of = [&](RejectionId verdict) {
    return verdict.valid() && verdict != kPassed ? rejections.at(verdict).code : Code::kUnresolvable;
  };
  if (pod.nominated.valid() && code_of(verdict_of(pod.nominated)) != Code::kUnresolvable &&
      victims_are_leaving(cluster, pod)) {
    result.eligible = false;
    result.why_not = "not eligible due to a terminating pod on the nominated node.";
    return result;
  }
  std::vector<NodeId> resolvable;
  for (const NodeId node : cluster.scan_order()) {
    if (code_of(verdict_of(node)) == Code::kUnschedulable) resolvable.push_back(node);
  }
  const std::size_t wanted =
      search == Search::kEveryNode ? resolvable.size() + 1 : candidates_wanted(profile.preemption(), resolvable.size());
  result.verdicts.assign(cluster.node_count(), RejectionId{});
  result.not_helpful =
      cycle.reject({"", Code::kUnresolvable, {{ReasonKind::kOther, "Preemption is not helpful for scheduling"}}});
  DryRuns dry_runs(cycle);
  bool harmless = false;  // some candidate violates no budget
  for (const NodeId node : resolvable) {
    DryRun outcome = dry_runs.dry_run(node);
    if (!outcome.candidate) {
      result.verdicts[node.index()] = outcome.verdict;
      continue;
    }
    harmless = harmless || outcome.candidate->budget_violations == 0;
    result.candidates.push_back(std::move(*outcome.candidate));
    if (harmless && result.candidates.size() >= wanted) break;
  }
  if (result.candidates.empty()) return result;
  result.best = rank(cluster, result.candidates);
  result.node = result.best.front();
  return result;
}

}  // namespace loadline::placement

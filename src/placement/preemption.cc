#include "placement/preemption.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/text.h"

namespace loadline::placement {

using cluster::NodeId;
using cluster::PodId;

namespace {

/// The nodes of the least loss, in scan order.
std::vector<NodeId> least_loss(const cluster::Cluster& cluster, const std::vector<Candidate>& candidates) {
  std::optional<Loss> least;
  std::vector<NodeId> nodes;
  for (const Candidate& candidate : candidates) {
    const Loss loss = loss_of(cluster, candidate);
    if (least && loss > *least) continue;
    if (least && loss < *least) nodes.clear();
    least = loss;
    nodes.push_back(candidate.node);
  }
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

/// Whether the pod may preempt at all; if not, says why.
bool is_eligible(const Cycle& cycle, Code nominated, Preemption& result) {
  const cluster::PodRecord& pod = cycle.record();
  if (pod.preemption_policy == kube::PreemptionPolicy::kNever) {
    result.why_not = "not eligible due to preemptionPolicy=Never.";
  } else if (pod.nominated.valid() && nominated != Code::kUnresolvable && victims_are_leaving(cycle.cluster(), pod)) {
    result.why_not = "not eligible due to a terminating pod on the nominated node.";
  }
  result.eligible = result.why_not.empty();
  return result.eligible;
}

/// Tries node after node, until there are enough candidates.
void try_nodes(Cycle& cycle, const std::vector<NodeId>& nodes, std::size_t wanted, Preemption& result) {
  bool harmless = false;  // some candidate violates no budget
  for (const NodeId node : nodes) {
    DryRun outcome = dry_run(cycle, node);
    if (!outcome.candidate) {
      result.verdicts[node.index()] = outcome.verdict;
      continue;
    }
    harmless = harmless || outcome.candidate->budget_violations == 0;
    result.candidates.push_back(std::move(*outcome.candidate));
    if (harmless && result.candidates.size() >= wanted) break;
  }
}

/// Tries the nodes that changed, and the one that the pod itself is nominated to, which looks different to others.
void try_changed_nodes(Cycle& cycle, DryRunMemory& memory, const std::vector<NodeId>& resolvable, Preemption& result) {
  const cluster::Cluster& cluster = cycle.cluster();
  memory.catch_up(cluster);
  const NodeId own = cycle.record().nominated;
  if (own.valid()) memory.forget(own);
  std::vector<NodeId> nominated;
  for (const NodeId node : resolvable) {
    if (node == own) {
      nominated.push_back(node);
      continue;
    }
    if (!memory.knows(node)) memory.remember(cluster, dry_run(cycle, node), node);
    result.verdicts[node.index()] = memory.verdict(node);
  }
  try_nodes(cycle, nominated, nominated.size() + 1, result);
  const Candidate* remembered = memory.best();
  if (remembered == nullptr) return;
  const auto behind = [&](const Candidate& candidate) {
    return memory.position(candidate.node) > memory.position(remembered->node);
  };
  const auto at = std::find_if(result.candidates.begin(), result.candidates.end(), behind);
  result.candidates.insert(at, *remembered);
}

/// The errors of dry runs, each once; empty: there was none.
std::string errors_of(const std::vector<NodeId>& tried, const std::vector<RejectionId>& verdicts,
                      const RejectionTable& rejections) {
  std::vector<std::string> errors;
  for (const NodeId node : tried) {
    const RejectionId verdict = verdicts[node.index()];
    if (!verdict.valid() || verdict == kPassed || rejections.at(verdict).code != Code::kError) continue;
    std::string text = rejections.at(verdict).reasons.front().text();
    if (std::find(errors.begin(), errors.end(), text) == errors.end()) errors.push_back(std::move(text));
  }
  if (errors.size() < 2) return errors.empty() ? "" : errors.front();
  return "[" + joined(errors, ", ") + "]";
}

}  // namespace

const Candidate* Preemption::chosen() const {
  for (const Candidate& candidate : candidates) {
    if (candidate.node == node) return &candidate;
  }
  return nullptr;
}

Preemption find_preemption(Cycle& cycle, const Profile& profile, const Attempt& attempt,
                           const RejectionTable& rejections, Search search, DryRunMemory* memory) {
  Preemption result;
  result.attempted = true;
  const cluster::Cluster& cluster = cycle.cluster();
  const auto code_of = [&](NodeId node) {
    const RejectionId own = attempt.verdicts[node.index()];
    const RejectionId verdict = own.valid() ? own : attempt.absent;
    return verdict.valid() && verdict != kPassed ? rejections.at(verdict).code : Code::kUnresolvable;
  };
  const NodeId nominated = cycle.record().nominated;
  if (!is_eligible(cycle, nominated.valid() ? code_of(nominated) : Code::kUnresolvable, result)) return result;

  std::vector<NodeId> resolvable;
  for (const NodeId node : cluster.scan_order()) {
    if (code_of(node) == Code::kUnschedulable) resolvable.push_back(node);
  }
  result.verdicts.assign(cluster.node_count(), RejectionId{});
  result.not_helpful =
      cycle.reject({"", Code::kUnresolvable, {{ReasonKind::kOther, "Preemption is not helpful for scheduling"}}});
  if (memory != nullptr && search == Search::kAsConfigured) {
    try_changed_nodes(cycle, *memory, resolvable, result);
  } else {
    const bool all = search == Search::kEveryNode;
    try_nodes(cycle, resolvable,
              all ? resolvable.size() + 1 : candidates_wanted(profile.preemption(), resolvable.size()), result);
  }
  if (result.candidates.empty()) {
    result.error = errors_of(resolvable, result.verdicts, rejections);
    return result;
  }
  result.best = least_loss(cluster, result.candidates);
  result.node = result.best.front();
  return result;
}

}  // namespace loadline::placement

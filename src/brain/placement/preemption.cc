#include "brain/placement/preemption.h"

#include <algorithm>
#include <optional>
#include <string>

#include "foundation/base/text.h"

namespace loadline::placement {

using cluster::NodeId;
using cluster::PodId;

namespace {

/// The nodes of the least cost, in scan order.
std::vector<NodeId> lowest_cost(const cluster::Cluster& cluster, const std::vector<Candidate>& candidates) {
  std::optional<EvictionCost> least;
  std::vector<NodeId> nodes;
  for (const Candidate& candidate : candidates) {
    const EvictionCost cost = eviction_cost(cluster, candidate);
    if (least && cost > *least) continue;
    if (least && cost < *least) nodes.clear();
    least = cost;
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

/// After how many candidates the search stops.
std::size_t candidates_wanted(const Profile& profile, Search search, std::size_t nodes) {
  const bool wants_all =
      search == Search::kEveryNode || profile.switches().preemption_candidates == PreemptionCandidates::kAll;
  if (wants_all) return nodes + 1;
  const kube::DefaultPreemptionArgs& args = profile.preemption();
  const std::size_t share = nodes * static_cast<std::size_t>(args.min_candidate_nodes_percentage) / 100;
  return std::min(std::max(share, static_cast<std::size_t>(args.min_candidate_nodes_absolute)), nodes);
}

/// Whether the best of all candidates is to be found with the help of earlier dry runs, where there are any.
bool may_remember(const Profile& profile, Search search) {
  return search == Search::kAsConfigured &&
         profile.switches().preemption_candidates != PreemptionCandidates::kAsConfigured;
}

/// Whether the pod may preempt at all; if not, says why.
bool is_eligible(const Cycle& cycle, Code nominated, Preemption& result) {
  const cluster::PodRecord& pod = cycle.record();
  if (pod.preemption_policy == kube::PreemptionPolicy::kNever) {
    result.ineligible = Ineligible::kNever;
  } else if (pod.nominated.valid() && nominated != Code::kUnresolvable && victims_are_leaving(cycle.cluster(), pod)) {
    result.ineligible = Ineligible::kVictimsLeaving;
  }
  return !result.ineligible;
}

/// Tries node after node, until there are enough candidates. Notes the rejections of those that are none.
void try_nodes(Cycle& cycle, const std::vector<NodeId>& nodes, std::size_t wanted, Preemption& result,
               RejectionTally& rejected) {
  bool harmless = false;  // some candidate violates no budget
  for (const NodeId node : nodes) {
    DryRun outcome = dry_run(cycle, node);
    if (!outcome.candidate) {
      rejected.add(outcome.rejection);
      continue;
    }
    harmless = harmless || outcome.candidate->budget_violations == 0;
    result.candidates.push_back(std::move(*outcome.candidate));
    if (harmless && result.candidates.size() >= wanted) break;
  }
}

/// Tries the nodes that changed, and the one that the pod itself is nominated to, which looks different to others.
template <class Resolvable>
void try_changed_nodes(Cycle& cycle, DryRunMemory& memory, Resolvable&& resolvable, Preemption& result,
                       RejectionTally& rejected) {
  const cluster::Cluster& cluster = cycle.cluster();
  memory.catch_up(cluster);
  const NodeId own = cycle.record().nominated;
  if (own.valid()) memory.set_aside(own);
  memory.try_unknown(
      [&](NodeId node) -> std::optional<DryRun> {
        if (!resolvable(node)) return std::nullopt;
        return dry_run(cycle, node);
      },
      cluster);
  if (own.valid() && resolvable(own)) try_nodes(cycle, {own}, 1, result, rejected);
  if (const Candidate* remembered = memory.best()) {
    const bool ahead = result.candidates.empty() || cluster.scan_place(remembered->node) < cluster.scan_place(own);
    result.candidates.insert(ahead ? result.candidates.begin() : result.candidates.end(), *remembered);
  }
  if (!result.candidates.empty()) return;
  for (const RejectionCount& counted : memory.rejections().counts()) rejected.add(counted.rejection, counted.nodes);
}

/// The errors of dry runs, each once; empty: there was none.
std::string errors_of(const RejectionTally& rejected, const RejectionTable& rejections) {
  std::vector<std::string> errors;
  for (const RejectionCount& counted : rejected.counts()) {
    if (rejections.at(counted.rejection).code != Code::kError) continue;
    std::string text = rejections.at(counted.rejection).reasons.front().text();
    if (std::find(errors.begin(), errors.end(), text) == errors.end()) errors.push_back(std::move(text));
  }
  if (errors.size() < 2) return errors.empty() ? "" : errors.front();
  return "[" + joined(errors, ", ") + "]";
}

/// The rejections counted, those of nodes that were not tried first.
std::vector<RejectionCount> count(const RejectionTally& rejected, RejectionId not_tried, std::size_t nodes) {
  std::vector<RejectionCount> counts;
  if (rejected.nodes() < nodes) counts.push_back({not_tried, nodes - rejected.nodes()});
  counts.insert(counts.end(), rejected.counts().begin(), rejected.counts().end());
  return counts;
}

}  // namespace

const Candidate* Preemption::chosen() const {
  for (const Candidate& candidate : candidates) {
    if (candidate.node == node) return &candidate;
  }
  return nullptr;
}

Preemption find_preemption(Cycle& cycle, const Profile& profile, const Attempt& attempt,
                           const RejectionTable& rejections, Search search, RankedSearch* ranked) {
  Preemption result;
  result.attempted = true;
  const cluster::Cluster& cluster = cycle.cluster();
  const auto code_of = [&](NodeId node) {
    RejectionId rejection =
        attempt.rejection_by_node.empty() && ranked != nullptr ? ranked->rejection(node) : RejectionId{};
    if (!attempt.rejection_by_node.empty()) rejection = attempt.rejection_by_node[node.index()];
    if (!rejection.valid()) rejection = attempt.absent;
    return rejection.valid() && rejection != kPassed ? rejections.at(rejection).code : Code::kUnresolvable;
  };
  const auto resolvable = [&](NodeId node) { return code_of(node) == Code::kUnschedulable; };
  const NodeId nominated = cycle.record().nominated;
  if (!is_eligible(cycle, nominated.valid() ? code_of(nominated) : Code::kUnresolvable, result)) return result;

  RejectionTally rejected;
  DryRunMemory* memory = ranked != nullptr && may_remember(profile, search) ? ranked->dry_runs(cycle) : nullptr;
  if (memory != nullptr) {
    try_changed_nodes(cycle, *memory, resolvable, result, rejected);
  } else {
    std::vector<NodeId> nodes = cluster.scan_order();
    std::erase_if(nodes, [&](NodeId node) { return !resolvable(node); });
    try_nodes(cycle, nodes, candidates_wanted(profile, search, nodes.size()), result, rejected);
  }
  if (!result.candidates.empty()) {
    Result<std::vector<Candidate>> kept = cycle.extenders().process_preemption(std::move(result.candidates));
    result.candidates.clear();
    if (!kept) {
      result.error = kept.error().message;
      return result;
    }
    result.candidates = std::move(*kept);
    result.refused_by_extenders = result.candidates.empty();
    if (result.refused_by_extenders) return result;
    result.best = lowest_cost(cluster, result.candidates);
    result.node = result.best.front();
    return result;
  }
  result.error = errors_of(rejected, rejections);
  const RejectionId not_tried =
      cycle.reject({"", Code::kUnresolvable, {{ReasonKind::kOther, "Preemption is not helpful for scheduling"}}});
  result.rejections = count(rejected, not_tried, cluster.node_count());
  return result;
}

}  // namespace loadline::placement

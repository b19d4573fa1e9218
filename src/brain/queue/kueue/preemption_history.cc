#include "brain/queue/kueue/preemption_history.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace loadline::queue::kueue {

// ---- its books -----------------------------------------------------------------------------------------------------

const PreemptionHistory::Past* PreemptionHistory::find(WorkloadId workload) const {
  return workload.index() < pasts_.size() ? &pasts_[workload.index()] : nullptr;
}

PreemptionHistory::Past& PreemptionHistory::of(WorkloadId workload) {
  if (pasts_.size() <= workload.index()) pasts_.resize(workload.index() + 1);
  return pasts_[workload.index()];
}

std::uint64_t PreemptionHistory::count(const std::vector<std::uint64_t>& counts, QuotaNodeId node) {
  return node.valid() && node.index() < counts.size() ? counts[node.index()] : 0;
}

void PreemptionHistory::count_up(std::vector<std::uint64_t>& counts, QuotaNodeId node) {
  if (counts.size() <= node.index()) counts.resize(node.index() + 1);
  ++counts[node.index()];
}

std::uint64_t PreemptionHistory::changes_of(QueueId queue) const { return count(changes_, tree_.root(queue)); }

QuotaNodeId PreemptionHistory::side_of(QueueId queue, QueueId other) const {
  if (queue == other) return queue;
  const auto holds_other = [&](QuotaNodeId cohort) {
    QuotaNodeId node = other;
    while (node.valid() && node != cohort) node = tree_.parent(node);
    return node.valid();
  };
  QuotaNodeId side = queue;
  while (tree_.parent(side).valid() && !holds_other(tree_.parent(side))) side = tree_.parent(side);
  return side;
}

bool PreemptionHistory::are_in_one_tree(QueueId queue, QueueId other) const {
  if (!queue.valid() || !other.valid() || tree_.is_in_cycle(queue) || tree_.is_in_cycle(other)) return false;
  return tree_.root(queue) == tree_.root(other);
}

void PreemptionHistory::draw(WorkloadId victim, WorkloadId preemptor) {
  const QuotaNodeId side = side_of(workloads_.at(victim).queue, workloads_.at(preemptor).queue);
  erase(victim, preemptor);
  of(victim).gave_way.push_back({preemptor, side, count(ends_, side), changes_of(workloads_.at(preemptor).queue)});
  of(preemptor).preempted.push_back(victim);
}

void PreemptionHistory::erase(WorkloadId victim, WorkloadId preemptor) {
  std::erase_if(of(victim).gave_way, [preemptor](const Edge& edge) { return edge.preemptor == preemptor; });
  std::erase(of(preemptor).preempted, victim);
}

// ---- what happens --------------------------------------------------------------------------------------------------

void PreemptionHistory::preempt(WorkloadId victim, WorkloadId preemptor) {
  draw(victim, preemptor);
  of(victim).leaves_for = preemptor;
}

void PreemptionHistory::take_back(WorkloadId victim) {
  const WorkloadId preemptor = std::exchange(of(victim).leaves_for, {});
  if (preemptor.valid()) erase(victim, preemptor);
}

bool PreemptionHistory::quota_comes_free(WorkloadId workload) {
  if (std::exchange(of(workload).leaves_for, {}).valid()) return true;
  count_end(workloads_.at(workload).queue);
  return false;
}

void PreemptionHistory::shrank(WorkloadId workload) { count_end(workloads_.at(workload).queue); }

void PreemptionHistory::count_end(QueueId queue) {
  if (!queue.valid() || tree_.is_in_cycle(queue)) return;
  for (QuotaNodeId node = queue; node.valid(); node = tree_.parent(node)) count_up(ends_, node);
  count_up(changes_, tree_.root(queue));
}

void PreemptionHistory::arrived(WorkloadId workload) {
  const QueueId queue = workloads_.at(workload).queue;
  if (queue.valid() && !tree_.is_in_cycle(queue)) count_up(changes_, tree_.root(queue));
}

void PreemptionHistory::forget(WorkloadId workload) {
  if (find(workload) == nullptr) return;
  const Past past = std::exchange(of(workload), {});
  for (const Edge& edge : past.gave_way) std::erase(of(edge.preemptor).preempted, workload);
  for (const WorkloadId victim : past.preempted) {
    std::erase_if(of(victim).gave_way, [workload](const Edge& edge) { return edge.preemptor == workload; });
    if (of(victim).leaves_for == workload) of(victim).leaves_for = victim;  // it leaves all the same
  }
  std::erase_if(recalled_, [workload](const Recalled& it) { return it.victim == workload; });
}

void PreemptionHistory::forget_all() {
  for (Past& past : pasts_) {
    past.gave_way.clear();
    past.preempted.clear();
  }
  ends_.clear();
  changes_.clear();
}

void PreemptionHistory::recall(WorkloadId victim, std::string preemptor_uid, bool is_leaving) {
  if (is_leaving) of(victim).leaves_for = victim;  // whoever it is for
  recalled_.push_back({victim, std::move(preemptor_uid)});
}

std::vector<WorkloadId> PreemptionHistory::resolve() {
  std::vector<WorkloadId> preemptors;
  if (recalled_.empty()) return preemptors;
  std::unordered_map<std::string_view, WorkloadId> by_uid;
  for (std::size_t i = 0; i < workloads_.bound(); ++i) {
    const Workload& workload = workloads_.at(WorkloadId(i));
    if (!workload.uid.empty() && workload.queue.valid()) by_uid.emplace(workload.uid, WorkloadId(i));
  }
  for (const Recalled& it : std::exchange(recalled_, {})) {
    const auto preemptor = by_uid.find(it.preemptor_uid);
    if (preemptor == by_uid.end() || preemptor->second == it.victim) continue;
    if (!are_in_one_tree(workloads_.at(it.victim).queue, workloads_.at(preemptor->second).queue)) continue;
    draw(it.victim, preemptor->second);
    preemptors.push_back(preemptor->second);
  }
  std::ranges::sort(preemptors);
  preemptors.erase(std::ranges::unique(preemptors).begin(), preemptors.end());
  return preemptors;
}

// ---- what follows --------------------------------------------------------------------------------------------------

/// For whom it gave way, directly or over others.
std::vector<WorkloadId> PreemptionHistory::ahead_of(WorkloadId workload) const {
  std::vector<WorkloadId> ahead;
  std::unordered_set<WorkloadId> seen = {workload};
  std::vector<WorkloadId> left = {workload};
  while (!left.empty()) {
    const Past* past = find(left.back());
    left.pop_back();
    if (past == nullptr) continue;
    for (const Edge& edge : past->gave_way) {
      if (!counts(edge) || !seen.insert(edge.preemptor).second) continue;
      ahead.push_back(edge.preemptor);
      left.push_back(edge.preemptor);
    }
  }
  return ahead;
}

bool PreemptionHistory::is_of_now(WorkloadId victim, WorkloadId preemptor) const {
  const Past* past = find(victim);
  if (past == nullptr) return false;
  const auto edge = std::ranges::find(past->gave_way, preemptor, &Edge::preemptor);
  return edge != past->gave_way.end() && counts(*edge) && edge->changes == changes_of(workloads_.at(preemptor).queue);
}

std::vector<WorkloadId> PreemptionHistory::spared_by(WorkloadId preemptor) const {
  std::vector<WorkloadId> spared = ahead_of(preemptor);
  if (const Past* past = find(preemptor)) {
    std::ranges::copy_if(past->preempted, std::back_inserter(spared),
                         [&](WorkloadId victim) { return is_of_now(victim, preemptor); });
  }
  std::ranges::sort(spared);
  return spared;
}

bool PreemptionHistory::had_preempted(WorkloadId preemptor, WorkloadId victim) const {
  const std::vector<WorkloadId> ahead = ahead_of(preemptor);
  return std::ranges::find(ahead, victim) != ahead.end();
}

}  // namespace loadline::queue::kueue

#include "brain/queue/kueue/fair_preemption.h"

#include <algorithm>
#include <map>
#include <set>

#include "brain/queue/kueue/share.h"
#include "brain/queue/kueue/trial.h"

namespace loadline::queue::kueue {
namespace {

using kube::FairSharingStrategy;

/// Which queue has to give a victim next.
class QueueOrder {
 public:
  /// `candidates`: in the order in which they leave.
  QueueOrder(const Quotas& quotas, const ClusterQueues& queues, const Candidates& candidates, QueueId own,
             const std::vector<WorkloadId>& victims, const Workloads& workloads)
      : quotas_(quotas), tree_(quotas.tree()), queues_(queues), candidates_(candidates), own_(own) {
    for (const WorkloadId victim : victims) left_[workloads.at(victim).queue].push_back(victim);
    for (auto& [queue, those] : left_) std::ranges::reverse(those);
  }

  /// Invalid: none is left.
  QueueId next() {
    if (!tree_.parent(own_).valid()) return has_candidates(own_) && !pruned_.contains(own_) ? own_ : QueueId{};
    const QuotaNodeId root = tree_.root(own_);
    while (!pruned_.contains(root)) {
      const QueueId found = next_below(root);
      if (found.valid()) return found;
    }
    return {};
  }
  [[nodiscard]] bool has_candidates(QueueId queue) const {
    const auto found = left_.find(queue);
    return found != left_.end() && !found->second.empty();
  }
  WorkloadId pop(QueueId queue) {
    const WorkloadId first = left_[queue].back();
    left_[queue].pop_back();
    return first;
  }
  void drop(QueueId queue) { pruned_.insert(queue); }

 private:
  struct Best {
    QuotaNodeId node = {};
    Share share = {.weight = 1, .ratio = -1};  // less than any
  };

  [[nodiscard]] bool is_above_own(QuotaNodeId cohort) const {
    QuotaNodeId node = own_;
    while (node.valid() && node != cohort) node = tree_.parent(node);
    return node.valid();
  }

  void offer_queue(QueueId queue, Best& best) {
    const Share share = share_of(quotas_, queue);
    if ((!share.borrows && queue != own_) || !has_candidates(queue)) {
      pruned_.insert(queue);
      return;
    }
    const auto order = compare(share, best.share);
    if (order < 0) return;
    if (order == 0 && !candidates_.leaves_before(left_[queue].back(), left_[best.node].back())) return;
    best = {queue, share};
  }
  void offer_cohort(QuotaNodeId cohort, Best& best) {
    const Share share = share_of(quotas_, cohort);
    if (!share.borrows && !is_above_own(cohort)) {
      pruned_.insert(cohort);
    } else if (compare(share, best.share) >= 0) {
      best = {cohort, share};
    }
  }

  /// Invalid: something was pruned, or this cohort.
  QueueId next_below(QuotaNodeId cohort) {
    Best queue;
    Best below;
    for (const QuotaNodeId child : tree_.children(cohort)) {
      if (pruned_.contains(child)) continue;
      if (tree_.kind(child) == cluster::QuotaNodeKind::kGroup) {
        offer_cohort(child, below);
      } else if (queues_.is_active(child)) {
        offer_queue(child, queue);
      }
    }
    if (!queue.node.valid() && !below.node.valid()) {
      pruned_.insert(cohort);
      return {};
    }
    return compare(below.share, queue.share) >= 0 ? next_below(below.node) : queue.node;
  }

  const Quotas& quotas_;
  const cluster::QuotaTree& tree_;
  const ClusterQueues& queues_;
  const Candidates& candidates_;
  QueueId own_;
  std::map<QueueId, std::vector<WorkloadId>> left_;  // the next one last
  std::set<QuotaNodeId> pruned_;
};

class FairSearch {
 public:
  FairSearch(Quotas& quotas, const ClusterQueues& queues, const Workloads& workloads, const Settings& settings,
             const PreemptionRequest& request)
      : quotas_(quotas),
        tree_(quotas.tree()),
        queues_(queues),
        workloads_(workloads),
        settings_(settings),
        request_(request),
        own_(workloads.at(request.preemptor).queue),
        candidates_(quotas, workloads, request) {}

  std::vector<Victim> run() {
    const std::vector<WorkloadId> candidates = collect();
    if (candidates.empty()) return {};
    const Trial trial(tree_);
    for (const QuotaUse& use : request_.uses) quotas_.add(use.cell, use.amount);
    bool is_enough = take_by_first_strategy(candidates);
    if (!is_enough && settings_.fair_sharing->preemption_strategies.size() > 1) is_enough = take_by_second_strategy();
    if (!is_enough) return {};
    for (const QuotaUse& use : request_.uses) quotas_.remove(use.cell, use.amount);
    fill_back(quotas_, workloads_, request_, true, victims_);
    return std::move(victims_);
  }

 private:
  [[nodiscard]] std::vector<WorkloadId> collect() const {
    const kube::ClusterQueuePreemption& rules = queues_.at(own_).object.preemption;
    std::vector<WorkloadId> found;
    const auto take = [&](WorkloadId workload) { found.push_back(workload); };
    candidates_.for_each(own_, rules.within_cluster_queue, take);
    if (tree_.parent(own_).valid() && rules.reclaim_within_cohort != kube::QueuePreemptionPolicy::kNever) {
      for (const QueueId queue : queues_.of_tree(own_)) {
        if (queue == own_ || !queues_.is_active(queue) || candidates_.is_within(queue)) continue;
        candidates_.for_each(queue, rules.reclaim_within_cohort, take);
      }
    }
    std::ranges::sort(found, [this](WorkloadId a, WorkloadId b) { return candidates_.leaves_before(a, b); });
    return found;
  }

  /// With the victims so far gone, and without the request itself.
  [[nodiscard]] bool fits_now() {
    const Trial trial(tree_);
    for (const QuotaUse& use : request_.uses) quotas_.remove(use.cell, use.amount);
    return fits(quotas_, request_.uses, true);
  }
  /// Whether that is enough.
  bool take(WorkloadId workload, PreemptionReason reason) {
    remove_usage(quotas_, workloads_.at(workload));
    victims_.push_back({workload, reason});
    return fits_now();
  }

  bool take_by_first_strategy(const std::vector<WorkloadId>& candidates) {
    QueueOrder order(quotas_, queues_, candidates_, own_, candidates, workloads_);
    const bool is_within_nominal =
        settings_.reclaims_nominal_freely &&
        std::ranges::all_of(request_.contested, [this](QuotaCellId cell) { return quotas_.is_within(cell); });
    for (QueueId queue = order.next(); queue.valid(); queue = order.next()) {
      if (queue == own_ || is_within_nominal) {
        const PreemptionReason reason =
            queue == own_ ? PreemptionReason::kInClusterQueue : PreemptionReason::kInCohortReclamation;
        if (take(order.pop(queue), reason)) return true;
        continue;
      }
      if (take_one_of(queue, order)) return true;
    }
    return false;
  }

  /// The first one of the queue that may be taken; what is passed over is for the second strategy.
  bool take_one_of(QueueId queue, QueueOrder& order) {
    const auto [own_side, other_side] = below_common_ancestor(queue);
    const Share preemptor = share_of(quotas_, own_side);
    const Share before = share_of(quotas_, other_side);
    while (order.has_candidates(queue)) {
      const WorkloadId candidate = order.pop(queue);
      if (may_take(candidate, preemptor, before, other_side)) {
        return take(candidate, PreemptionReason::kInCohortFairSharing);
      }
      passed_over_.push_back(candidate);
    }
    return false;
  }

  [[nodiscard]] bool may_take(WorkloadId candidate, const Share& preemptor, const Share& before,
                              QuotaNodeId other_side) {
    if (settings_.fair_sharing->preemption_strategies.front() == FairSharingStrategy::kLessThanInitialShare) {
      return compare(preemptor, before) < 0;
    }
    const Trial trial(tree_);
    remove_usage(quotas_, workloads_.at(candidate));
    return compare(preemptor, share_of(quotas_, other_side)) <= 0;
  }

  bool take_by_second_strategy() {
    QueueOrder order(quotas_, queues_, candidates_, own_, passed_over_, workloads_);
    for (QueueId queue = order.next(); queue.valid(); queue = order.next()) {
      const auto [own_side, other_side] = below_common_ancestor(queue);
      const bool may_go = compare(share_of(quotas_, own_side), share_of(quotas_, other_side)) < 0;
      const WorkloadId candidate = order.pop(queue);
      if (may_go && take(candidate, PreemptionReason::kInCohortFairSharing)) return true;
      order.drop(queue);
    }
    return false;
  }

  /// The nodes of the preemptor's and of the queue's side whose shares are compared.
  [[nodiscard]] std::pair<QuotaNodeId, QuotaNodeId> below_common_ancestor(QueueId queue) const {
    std::vector<QuotaNodeId> own_way;  // from the root down
    std::vector<QuotaNodeId> other_way;
    for (QuotaNodeId node = own_; node.valid(); node = tree_.parent(node)) own_way.push_back(node);
    for (QuotaNodeId node = queue; node.valid(); node = tree_.parent(node)) other_way.push_back(node);
    std::ranges::reverse(own_way);
    std::ranges::reverse(other_way);
    std::size_t depth = 0;
    while (own_way[depth] == other_way[depth]) ++depth;
    return {own_way[depth], other_way[depth]};
  }

  Quotas& quotas_;
  cluster::QuotaTree& tree_;
  const ClusterQueues& queues_;
  const Workloads& workloads_;
  const Settings& settings_;
  const PreemptionRequest& request_;
  QueueId own_;
  Candidates candidates_;
  std::vector<Victim> victims_;
  std::vector<WorkloadId> passed_over_;
};

}  // namespace

std::vector<Victim> find_fair_victims(Quotas& quotas, const ClusterQueues& queues, const Workloads& workloads,
                                      const Settings& settings, const PreemptionRequest& request) {
  return FairSearch(quotas, queues, workloads, settings, request).run();
}

}  // namespace loadline::queue::kueue

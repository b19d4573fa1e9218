#include "brain/queue/kueue/classical_preemption.h"

#include <algorithm>
#include <array>

#include "brain/queue/kueue/trial.h"

namespace loadline::queue::kueue {
namespace {

enum class Kind : std::uint8_t { kHierarchical, kPriority, kOwn };

struct Candidate {
  WorkloadId workload;
  Kind kind = Kind::kOwn;
  bool leaves_for_borrowers = true;  // also if the preemptor borrows
  QuotaNodeId ancestor = {};         // under which it was found
  Candidates::Rank rank = {};
};

/// What a request leaves to be found above a node.
struct Rest {
  std::vector<QuotaUse> uses;

  /// Whether the subtree's quota holds it all; it then is about the node above.
  bool fits_and_moves_up(const Quotas& quotas) {
    bool fits = true;
    for (QuotaUse& use : uses) {
      fits = fits && !quotas.borrows_with(use.cell, use.amount);
      use = {quotas.parent(use.cell), at_least_nothing(use.amount - quotas.local_available(use.cell))};
    }
    return fits;
  }
};

class ClassicalSearch {
 public:
  ClassicalSearch(Quotas& quotas, const ClusterQueues& queues, const Workloads& workloads,
                  const PreemptionRequest& request)
      : quotas_(quotas),
        tree_(quotas.tree()),
        queues_(queues),
        workloads_(workloads),
        request_(request),
        preemptor_(workloads.at(request.preemptor)),
        rules_(queues.at(preemptor_.queue).object.preemption),
        candidates_(quotas, workloads, request) {}

  std::vector<Victim> run() {
    collect();
    std::ranges::make_heap(found_, [this](const Candidate& a, const Candidate& b) { return leaves_before(b, a); });
    std::vector<Victim> victims;
    for (const bool may_borrow : attempts()) {
      victims = attempt(may_borrow);
      if (!victims.empty()) break;
    }
    return victims;
  }

 private:
  void collect() {
    candidates_.for_each(preemptor_.queue, rules_.within_cluster_queue, [this](WorkloadId workload) {
      found_.push_back({workload, Kind::kOwn, true, {}, candidates_.rank(workload)});
    });
    if (rules_.reclaim_within_cohort == kube::QueuePreemptionPolicy::kNever) return;
    Rest rest{{request_.uses.begin(), request_.uses.end()}};
    bool has_advantage = rest.fits_and_moves_up(quotas_);
    QuotaNodeId visited;
    for (QuotaNodeId ancestor = tree_.parent(preemptor_.queue); ancestor.valid(); ancestor = tree_.parent(ancestor)) {
      collect_below(ancestor, ancestor, visited, has_advantage);
      const bool fits = rest.fits_and_moves_up(quotas_);
      has_advantage = has_advantage || fits;
      visited = ancestor;
    }
  }

  void collect_below(QuotaNodeId node, QuotaNodeId ancestor, QuotaNodeId visited, bool has_advantage) {
    for (const QuotaNodeId child : tree_.children(node)) {
      if (child == visited || child == preemptor_.queue || candidates_.is_within(child)) continue;
      if (tree_.kind(child) == cluster::QuotaNodeKind::kGroup) {
        collect_below(child, ancestor, visited, has_advantage);
      } else if (queues_.is_active(child)) {
        candidates_.for_each(child, rules_.reclaim_within_cohort, [&](WorkloadId workload) {
          found_.push_back({workload, has_advantage ? Kind::kHierarchical : Kind::kPriority,
                            has_advantage || leaves_for_borrowers(workload), ancestor, candidates_.rank(workload)});
        });
      }
    }
  }

  [[nodiscard]] bool may_never_borrow() const {
    return rules_.borrow_within_cohort == kube::QueuePreemptionPolicy::kNever;
  }
  [[nodiscard]] bool leaves_for_borrowers(WorkloadId workload) const {
    const std::int64_t priority = workloads_.at(workload).priority;
    if (may_never_borrow() || priority >= preemptor_.priority) return false;
    return !rules_.max_priority_threshold || priority <= *rules_.max_priority_threshold;
  }

  [[nodiscard]] bool leaves_before(const Candidate& a, const Candidate& b) const {
    if (a.rank.stays != b.rank.stays) return b.rank.stays;
    if (a.kind != b.kind) return a.kind < b.kind;
    if (a.rank != b.rank) return a.rank < b.rank;
    const std::string& uid = workloads_.at(a.workload).uid;
    const std::string& other = workloads_.at(b.workload).uid;
    return uid != other ? uid < other : a.workload < b.workload;
  }

  /// The candidate that leaves after so many others. Few of many are asked for, so no more are put in order: they stand
  /// behind the heap of the others, the first one last.
  [[nodiscard]] const Candidate& in_order(std::size_t place) {
    for (; in_order_ <= place; ++in_order_) {
      std::ranges::pop_heap(found_.begin(), found_.end() - static_cast<std::ptrdiff_t>(in_order_),
                            [this](const Candidate& a, const Candidate& b) { return leaves_before(b, a); });
    }
    return found_[found_.size() - 1 - place];
  }

  /// Whether each may borrow.
  [[nodiscard]] std::vector<bool> attempts() const {
    const auto has = [this](Kind kind) {
      return std::ranges::any_of(found_, [kind](const Candidate& it) { return it.kind == kind; });
    };
    const bool is_at_nominal = std::ranges::any_of(
        request_.contested, [this](QuotaCellId cell) { return quotas_.used(cell) >= quotas_.nominal(cell); });
    if (!has(Kind::kHierarchical) && !has(Kind::kPriority)) return {true};
    if (may_never_borrow() && is_at_nominal) return {true};
    if (may_never_borrow() && !has(Kind::kHierarchical)) return {false, true};
    return {true, false};
  }

  [[nodiscard]] std::vector<Victim> attempt(bool may_borrow) {
    const Trial trial(tree_);
    std::vector<Victim> victims;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const Candidate& candidate = in_order(i);
      if (!is_valid(candidate, may_borrow)) continue;
      remove_usage(quotas_, workloads_.at(candidate.workload));
      victims.push_back({candidate.workload, reason_of(candidate)});
      if (!fits(quotas_, request_.uses, may_borrow)) continue;
      fill_back(quotas_, workloads_, request_, may_borrow, victims);
      return victims;
    }
    return {};
  }

  [[nodiscard]] bool is_valid(const Candidate& candidate, bool may_borrow) const {
    if (candidate.kind == Kind::kOwn) return true;
    if (may_borrow && !candidate.leaves_for_borrowers) return false;
    for (QuotaNodeId node = workloads_.at(candidate.workload).queue; node != candidate.ancestor;
         node = tree_.parent(node)) {
      if (candidates_.is_within(node)) return false;
    }
    return true;
  }

  [[nodiscard]] static PreemptionReason reason_of(const Candidate& candidate) {
    if (candidate.kind == Kind::kOwn) return PreemptionReason::kInClusterQueue;
    const bool leaves_for_borrower = candidate.kind == Kind::kPriority && candidate.leaves_for_borrowers;
    return leaves_for_borrower ? PreemptionReason::kInCohortReclaimWhileBorrowing
                               : PreemptionReason::kInCohortReclamation;
  }

  Quotas& quotas_;
  cluster::QuotaTree& tree_;
  const ClusterQueues& queues_;
  const Workloads& workloads_;
  const PreemptionRequest& request_;
  const Workload& preemptor_;
  const kube::ClusterQueuePreemption& rules_;
  Candidates candidates_;
  std::vector<Candidate> found_;
  std::size_t in_order_ = 0;  // so many of them
};

}  // namespace

std::vector<Victim> find_classical_victims(Quotas& quotas, const ClusterQueues& queues, const Workloads& workloads,
                                           const PreemptionRequest& request) {
  return ClassicalSearch(quotas, queues, workloads, request).run();
}

}  // namespace loadline::queue::kueue

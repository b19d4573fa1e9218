#pragma once

#include <map>
#include <vector>

#include "brain/queue/kueue/assignment.h"
#include "brain/queue/kueue/settings.h"
#include "brain/queue/kueue/share.h"

namespace loadline::queue::kueue {

/// Which nominated workload is next under fair sharing.
///
/// Each node of the tree proposes one: a queue its own, a cohort the best of its children's, child cohorts first, then
/// queues, each by name; a later one wins only if it is strictly better. Better is, in turn: for whom others left,
/// where repeated preemption is refused; whose side, as a child of the cohort, does not borrow on what the workload
/// asks for (gate); whose share with the workload is lower; who has the higher priority (gate); whose place in line
/// counts from earlier. Shares are those of the usage that there is now, so losers are compared anew each time. A queue
/// without a cohort proposes to nobody.
///
/// Trees come in the order of the names of their queues: of all queues with a workload left, the first by name says
/// which tree is next. Upstream's order is a map's.
/// Cost: a proposal O(nominated of the tree · height · cells).
/// Source: Kueue v0.19.2, pkg/scheduler/fair_sharing_iterator.go.
class Tournament {
 public:
  struct Contestant {
    WorkloadId workload;
    std::vector<QuotaUse> usage;
  };
  /// In the order of their queues' names, one a queue.
  Tournament(Quotas& quotas, const Workloads& workloads, const Settings& settings, std::vector<Contestant> contestants);

  [[nodiscard]] bool has_next() const { return !left_.empty(); }
  /// The place of the winner among the contestants. REQUIRES: has_next().
  std::size_t next();

 private:
  /// Of a contestant, as a child of a cohort proposes it.
  struct Standing {
    Share share;
    bool borrows = false;  // on something that it asks for
  };
  static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

  void compute_standings(QuotaNodeId node);
  /// `depth`: of the node, below the root.
  [[nodiscard]] std::size_t best_below(QuotaNodeId node, std::size_t depth) const;
  [[nodiscard]] bool is_better(std::size_t a, std::size_t b, std::size_t depth) const;
  [[nodiscard]] const Standing& standing(std::size_t contestant, std::size_t depth) const;

  Quotas& quotas_;
  const Workloads& workloads_;
  const Settings& settings_;
  std::vector<Contestant> contestants_;
  std::map<QuotaNodeId, std::size_t> left_;       // by queue
  std::vector<QuotaNodeId> order_;                // queues, by name
  std::vector<std::vector<Standing>> standings_;  // by contestant: of its queue, then of each cohort above it
};

}  // namespace loadline::queue::kueue

#pragma once

#include <span>

#include "brain/queue/kueue/assignment.h"
#include "brain/queue/kueue/settings.h"

namespace loadline::queue::kueue {

/// Whom preemption would find for one cell alone.
class PreemptionOracle {
 public:
  struct Answer {
    PreemptionOutlook outlook = PreemptionOutlook::kNoCandidates;
    int borrowing = 0;  ///< the height of the lowest subtree that fits once they have left
  };
  PreemptionOracle() = default;
  PreemptionOracle(const PreemptionOracle&) = delete;
  PreemptionOracle& operator=(const PreemptionOracle&) = delete;
  virtual ~PreemptionOracle() = default;

  virtual Answer simulate(WorkloadId preemptor, QuotaCellId cell, Amount amount) = 0;
};

/// Chooses flavors for workloads, by the quota that is there now.
///
/// Pod sets in their order, resource group by resource group; in each group the flavors in their order, from where the
/// workload's progress says:
///  1. a flavor that is not there, whose taints are not tolerated, or whose labels do not match is passed over;
///  2. its mode is the worst over the group's resources: more than there could ever be: no fit; no more than is
///     available: fit; else preemption, if it could make room within nominal quota or a part of the tree, or policies
///     let it preempt while it borrows: as good as whom the oracle finds; else no fit;
///  3. it is taken at once unless it does not fit, nobody could be preempted, or flavorFungibility says to go on before
///     preempting or borrowing; of all that were looked at, the best is taken: one that fits before one that reclaims,
///     preempts, finds nobody; then the one that borrows from nearer; PreemptionOverBorrowing: the other way round.
/// Resources come by the hashes of their names, as Kueue keeps them: it decides whose reasons are told if several
/// groups fail.
/// Cost: O(flavors · (resources · height + oracle)).
/// Source: Kueue v0.19.2, pkg/scheduler/flavorassigner.
class FlavorAssigner {
 public:
  FlavorAssigner(const Quotas& quotas, ClusterQueues& queues, const Workloads& workloads, const Settings& settings,
                 PreemptionOracle& oracle)
      : quotas_(quotas), queues_(queues), workloads_(workloads), settings_(settings), oracle_(oracle) {}

  /// Notes what was found out about each flavor, for events that tell it.
  void tell_attempts(bool tells) { tells_attempts_ = tells; }
  /// `counts`: of each pod set, so many pods; empty: all. `round`: which one it is.
  [[nodiscard]] Assignment assign(WorkloadId workload, std::span<const std::int32_t> counts, std::int64_t round);

 private:
  enum class Mode : std::uint8_t { kNoFit, kNoCandidates, kPreempt, kReclaim, kFit };
  struct Rank {
    Mode mode = Mode::kNoFit;
    int borrowing = 0;
  };
  struct Request {
    std::size_t place;  // of the resource in its group
    std::int64_t amount;
  };
  struct GroupSearch;

  [[nodiscard]] std::vector<ResourceAmount> scaled(const PodSetDemand& set, std::int32_t count,
                                                   const ClusterQueue& queue) const;
  [[nodiscard]] bool search_group(GroupSearch& search, const FlavorGroup& group, Symbol resource);
  void note_attempt(GroupSearch& search, FlavorId flavor, const Rank& rank,
                    const std::vector<FlavorChoice>& choices) const;
  [[nodiscard]] static AssignmentMode assignment_mode(Mode mode);
  [[nodiscard]] bool takes_pods(GroupSearch& search, FlavorId flavor);
  [[nodiscard]] Rank rate_flavor(GroupSearch& search, const FlavorGroup& group, std::size_t flavor,
                                 std::vector<FlavorChoice>& choices);
  [[nodiscard]] Rank rate(GroupSearch& search, QuotaCellId cell, FlavorId flavor, Symbol resource, Amount assumed,
                          std::int64_t amount);
  [[nodiscard]] bool is_preferred(const Rank& a, const Rank& b, const kube::FlavorFungibility& rules) const;
  [[nodiscard]] bool may_preempt_while_borrowing(const ClusterQueue& queue) const;

  const Quotas& quotas_;
  ClusterQueues& queues_;
  const Workloads& workloads_;
  const Settings& settings_;
  PreemptionOracle& oracle_;
  bool tells_attempts_ = false;
};

}  // namespace loadline::queue::kueue

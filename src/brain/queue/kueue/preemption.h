#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "brain/queue/kueue/flavor_assigner.h"
#include "brain/queue/kueue/preemption_history.h"
#include "brain/queue/kueue/settings.h"
#include "brain/queue/kueue/workloads.h"

namespace loadline::queue::kueue {

/// Why a workload has to leave for another one.
enum class PreemptionReason : std::uint8_t {
  kInClusterQueue,
  kInCohortReclamation,
  kInCohortFairSharing,
  kInCohortReclaimWhileBorrowing,
};

struct Victim {
  WorkloadId workload;
  PreemptionReason reason = PreemptionReason::kInClusterQueue;
  friend bool operator==(const Victim&, const Victim&) = default;
};

/// For what room is to be made.
struct PreemptionRequest {
  WorkloadId preemptor;
  std::span<const QuotaCellId> contested;  ///< cells of its queue that lack quota
  std::span<const QuotaUse> uses;          ///< all that it asks for, of its queue's cells
  std::span<const WorkloadId> spared =
      {};  ///< sorted: those who are not asked to leave for it, unless they leave anyway
};

/// Whom a preemptor may evict, and in which order candidates are asked to leave.
///
/// A policy: LowerPriority: those of strictly lower priority; LowerOrNewerEqualPriority: also those of equal priority
/// whose place in line counts from a later time; Any: all. A candidate uses something of a contested column, and is not
/// spared.
/// Order: those that are leaving anyway; of other queues before the preemptor's own; of lower priority; whose quota was
/// reserved later (or just now, where nobody knows when); by uid.
/// Source: Kueue v0.19.2, pkg/scheduler/preemption/common.
class Candidates {
 public:
  Candidates(const Quotas& quotas, const Workloads& workloads, const PreemptionRequest& request);

  /// What the order compares, read once for many comparisons.
  struct Rank {
    bool stays = true;  ///< it is not leaving anyway
    bool is_own = false;
    std::int64_t priority = 0;
    std::int64_t age = 0;
    std::uint64_t uid = 0;  ///< as far as it fits
    friend auto operator<=>(const Rank&, const Rank&) = default;
  };

  [[nodiscard]] const std::vector<QuotaColumnId>& columns() const { return columns_; }
  /// Those of a queue that the policy lets the preemptor evict.
  template <class Take>
  void for_each(QueueId queue, kube::QueuePreemptionPolicy policy, Take&& take) const {
    if (policy == kube::QueuePreemptionPolicy::kNever) return;
    for (const WorkloadId candidate : workloads_.holders(queue)) {
      if (uses_contested(candidate) && satisfies(candidate, policy)) take(candidate);
    }
  }
  [[nodiscard]] bool leaves_before(WorkloadId a, WorkloadId b) const;
  [[nodiscard]] Rank rank(WorkloadId candidate) const;
  /// The node uses no more than its quota of any contested column.
  [[nodiscard]] bool is_within(QuotaNodeId node) const;

 private:
  [[nodiscard]] bool uses_contested(WorkloadId candidate) const;
  [[nodiscard]] bool satisfies(WorkloadId candidate, kube::QueuePreemptionPolicy policy) const;

  const Quotas& quotas_;
  const Workloads& workloads_;
  const Workload& preemptor_;
  std::span<const WorkloadId> spared_;
  std::vector<QuotaColumnId> columns_;
};

/// Finds victims for workloads whose quota is in use, by the usage that is there now.
///
/// Nothing changes: what is tried is undone. An empty answer: nobody who may be evicted, or it would not suffice.
/// The last answer is remembered, since a workload of one resource is asked about twice: what flavor it may have, and
/// for whose room.
/// Source: Kueue v0.19.2, pkg/scheduler/preemption.
class Preemption final : public PreemptionOracle {
 public:
  Preemption(Quotas& quotas, const ClusterQueues& queues, const Workloads& workloads, const Settings& settings,
             const PreemptionHistory& history)
      : quotas_(quotas), queues_(queues), workloads_(workloads), settings_(settings), history_(history) {}

  /// By classical preemption, or fair sharing where it is on; none that history spares.
  [[nodiscard]] std::vector<Victim> find_victims(const PreemptionRequest& request);
  /// Those that history spares, of the victims that there would be without it; sorted. Empty: it makes no difference.
  [[nodiscard]] std::vector<WorkloadId> spared_victims(const PreemptionRequest& request);
  /// History may spare somebody. O(1) for a preemptor without a past.
  [[nodiscard]] bool spares_any(WorkloadId preemptor) const { return !spared_by(preemptor).empty(); }
  Answer simulate(WorkloadId preemptor, QuotaCellId cell, Amount amount) override;
  /// To be called before the first question after usage, workloads or queues have changed.
  void forget_last() { last_.preemptor = {}; }

 private:
  [[nodiscard]] std::vector<WorkloadId> spared_by(WorkloadId preemptor) const;
  [[nodiscard]] std::vector<Victim> search(const PreemptionRequest& request);

  Quotas& quotas_;
  const ClusterQueues& queues_;
  const Workloads& workloads_;
  const Settings& settings_;
  const PreemptionHistory& history_;
  struct {
    WorkloadId preemptor = {};
    std::vector<QuotaCellId> contested = {};
    std::vector<QuotaUse> uses = {};
    std::vector<Victim> victims = {};
  } last_;
};

// ---- for the searches ----------------------------------------------------------------------------------------------

void remove_usage(Quotas& quotas, const Workload& workload);
void add_usage(Quotas& quotas, const Workload& workload);
/// Whether all that is asked for is available; without borrowing: within the queue's own nominal quota.
[[nodiscard]] bool fits(const Quotas& quotas, std::span<const QuotaUse> uses, bool may_borrow);
/// All victims have been removed and the request fits: takes back those that need not leave, from the last but one to
/// the first; the last takes the place of one that stays.
void fill_back(Quotas& quotas, const Workloads& workloads, const PreemptionRequest& request, bool may_borrow,
               std::vector<Victim>& victims);

}  // namespace loadline::queue::kueue

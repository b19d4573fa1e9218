#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objects/kube/kueue/resource_group.h"
#include "objects/kube/kueue/stop_policy.h"
#include "objects/kube/meta.h"
#include "objects/kube/scalars.h"

namespace loadline::kube {

enum class QueuePreemptionPolicy : std::uint8_t { kNever, kLowerPriority, kLowerOrNewerEqualPriority, kAny };

struct ClusterQueuePreemption {
  QueuePreemptionPolicy reclaim_within_cohort = QueuePreemptionPolicy::kNever;
  QueuePreemptionPolicy within_cluster_queue = QueuePreemptionPolicy::kNever;
  /// In order to borrow. kNever is also what an absent borrowWithinCohort means.
  QueuePreemptionPolicy borrow_within_cohort = QueuePreemptionPolicy::kNever;
  std::optional<std::int32_t> max_priority_threshold;  ///< of what may be preempted in order to borrow; absent: none
};

/// Of two flavors that both borrow or preempt, the better one; asked only where search goes on past both.
enum class FlavorPreference : std::uint8_t { kBorrowingOverPreemption, kPreemptionOverBorrowing };

/// What is done when a flavor would fit only by borrowing or preempting: it is taken, or the next one is tried.
struct FlavorFungibility {
  bool tries_next_before_borrowing = false;
  bool tries_next_before_preempting = true;
  /// Absent: as kBorrowingOverPreemption.
  std::optional<FlavorPreference> preference;
};

struct AdmissionCheckRule {
  std::string name;
  std::vector<std::string> on_flavors;  ///< empty: on all
};

enum class QueueingStrategy : std::uint8_t { kStrictFifo, kBestEffortFifo };

/// How workloads of one ClusterQueue are ordered by what their LocalQueues have used.
enum class AdmissionMode : std::uint8_t { kUsageBasedAdmissionFairSharing, kNoAdmissionFairSharing };

/// Kueue's ClusterQueue, v1beta1 and v1beta2: quota of a cluster's resources, by flavor.
struct ClusterQueue {
  ObjectMeta metadata;
  std::string cohort;  ///< empty: none to borrow from. It need not exist as an object
  std::vector<ResourceGroup> resource_groups;
  QueueingStrategy queueing_strategy = QueueingStrategy::kBestEffortFifo;
  std::optional<LabelSelector> namespace_selector;  ///< absent: of no namespace are workloads admitted
  FlavorFungibility flavor_fungibility;
  ClusterQueuePreemption preemption;
  std::vector<AdmissionCheckRule> admission_checks;
  StopPolicy stop_policy = StopPolicy::kNone;
  std::optional<Quantity> fair_sharing_weight;   ///< absent: 1
  std::optional<AdmissionMode> admission_scope;  ///< absent: by priority and time alone
  bool has_concurrent_admission = false;         ///< concurrentAdmissionPolicy is there: an alpha feature
  std::vector<MetaCondition> conditions;         ///< Active, as the object was read
};

}  // namespace loadline::kube

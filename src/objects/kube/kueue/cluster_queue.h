#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objects/kube/meta.h"
#include "objects/kube/scalars.h"

namespace loadline::kube {

/// How much of one resource a queue has of a flavor.
struct FlavorQuota {
  std::string resource;
  Quantity nominal;
  std::optional<Quantity> borrowing_limit;  ///< absent: all that the cohort lends
  std::optional<Quantity> lending_limit;    ///< absent: all that is not used
};

struct FlavorQuotas {
  std::string flavor;
  std::vector<FlavorQuota> resources;  ///< as many as the group covers, in its order
};

/// Resources that are always given out together, of the same flavor.
struct ResourceGroup {
  std::vector<std::string> covered_resources;
  std::vector<FlavorQuotas> flavors;  ///< in the order in which they are tried
};

enum class QueuePreemptionPolicy : std::uint8_t { kNever, kLowerPriority, kLowerOrNewerEqualPriority, kAny };

struct ClusterQueuePreemption {
  QueuePreemptionPolicy reclaim_within_cohort = QueuePreemptionPolicy::kNever;
  QueuePreemptionPolicy within_cluster_queue = QueuePreemptionPolicy::kNever;
  QueuePreemptionPolicy borrow_within_cohort = QueuePreemptionPolicy::kNever;
  std::optional<std::int32_t> max_priority_threshold;  ///< of what may be preempted in order to borrow
};

/// What is done when a flavor would fit only by borrowing or preempting: it is taken, or the next one is tried.
struct FlavorFungibility {
  bool tries_next_before_borrowing = false;
  bool tries_next_before_preempting = true;
  std::string preference;  ///< "BorrowingOverPreemption", "PreemptionOverBorrowing"; empty: not said
};

struct AdmissionCheckRule {
  std::string name;
  std::vector<std::string> on_flavors;  ///< empty: on all
};

/// Kueue's ClusterQueue, v1beta1 and v1beta2: quota of a cluster's resources, by flavor.
struct ClusterQueue {
  ObjectMeta metadata;
  std::string cohort;  ///< empty: none to borrow from
  std::vector<ResourceGroup> resource_groups;
  std::string queueing_strategy;                    ///< StrictFIFO, BestEffortFIFO
  std::optional<LabelSelector> namespace_selector;  ///< absent: of no namespace are workloads admitted
  FlavorFungibility flavor_fungibility;
  ClusterQueuePreemption preemption;
  std::vector<AdmissionCheckRule> admission_checks;
  std::string stop_policy;  ///< None, Hold, HoldAndDrain
  std::optional<Quantity> fair_sharing_weight;
};

}  // namespace loadline::kube

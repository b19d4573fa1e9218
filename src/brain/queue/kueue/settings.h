#pragma once

#include <optional>

#include "brain/queue/kueue/switches.h"
#include "foundation/base/time.h"
#include "objects/kube/kueue/configuration.h"

namespace loadline::queue::kueue {

/// What Kueue's configuration and feature gates say of its rounds, and what the policy does. As constructed: 0.19.2
/// without a file.
struct Settings {
  std::optional<kube::KueueFairSharing> fair_sharing;  ///< absent: classical preemption, and order by borrowing
  kube::QuotaCheckStrategy quota_check = kube::QuotaCheckStrategy::kBlockUndeclared;
  kube::RequeuingTimestamp requeuing_timestamp = kube::RequeuingTimestamp::kEviction;
  /// Workloads that could not be admitted come back to their queues so long after what may help them. Upstream's is 1
  /// s.
  Duration requeue_batch = Duration::seconds(1);
  bool blocks_admission = false;           ///< waitForPodsReady.blockAdmission: a round admits one workload
  bool admits_partially = true;            ///< PartialAdmission
  bool sorts_by_priority = true;           ///< PrioritySortingWithinCohort: among heads of one cohort
  bool moves_classes = true;               ///< SchedulingEquivalenceHashing
  bool keeps_flavor_progress = true;       ///< FlavorFungibilityPreserveScanProgress
  bool prefers_those_within_quota = true;  ///< FairSharingPrioritizeNonBorrowing
  bool reclaims_nominal_freely = true;     ///< FairSharingPreemptWithinNominal
  RepeatedPreemption repeated_preemption = RepeatedPreemption::kAsUpstream;  ///< of the policy

  static Settings of(const kube::KueueConfiguration& configuration) {
    Settings it;
    it.fair_sharing = configuration.fair_sharing;
    it.quota_check = configuration.enables("QuotaCheckStrategy") ? configuration.resources.quota_check_strategy
                                                                 : kube::QuotaCheckStrategy::kBlockUndeclared;
    if (configuration.wait_for_pods_ready) {
      it.requeuing_timestamp = configuration.wait_for_pods_ready->requeuing_strategy.timestamp;
      it.blocks_admission = configuration.wait_for_pods_ready->block_admission;
    }
    it.admits_partially = configuration.enables("PartialAdmission");
    it.sorts_by_priority = configuration.enables("PrioritySortingWithinCohort");
    it.moves_classes = configuration.enables("SchedulingEquivalenceHashing");
    it.keeps_flavor_progress = configuration.enables("FlavorFungibilityPreserveScanProgress");
    it.prefers_those_within_quota = configuration.enables("FairSharingPrioritizeNonBorrowing");
    it.reclaims_nominal_freely = configuration.enables("FairSharingPreemptWithinNominal");
    return it;
  }
};

}  // namespace loadline::queue::kueue

#pragma once

#include "objects/kube/kueue/cluster_queue.h"
#include "objects/kube/kueue/stop_policy_schema.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

inline constexpr std::string_view kQueuePreemptionPolicyNames[] = {"Never", "LowerPriority",
                                                                   "LowerOrNewerEqualPriority", "Any"};
inline constexpr Enumeration kQueuePreemptionPolicy{kQueuePreemptionPolicyNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<QueuePreemptionPolicy> = &kQueuePreemptionPolicy;

inline constexpr std::string_view kFlavorPreferenceNames[] = {"BorrowingOverPreemption", "PreemptionOverBorrowing"};
inline constexpr Enumeration kFlavorPreference{kFlavorPreferenceNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<FlavorPreference> = &kFlavorPreference;

inline constexpr std::string_view kQueueingStrategyNames[] = {"StrictFIFO", "BestEffortFIFO"};
inline constexpr Enumeration kQueueingStrategy{kQueueingStrategyNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<QueueingStrategy> = &kQueueingStrategy;

inline constexpr std::string_view kAdmissionModeNames[] = {"UsageBasedAdmissionFairSharing", "NoAdmissionFairSharing"};
inline constexpr Enumeration kAdmissionMode{kAdmissionModeNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<AdmissionMode> = &kAdmissionMode;

extern const Schema kClusterQueueSchema;

}  // namespace loadline::kube

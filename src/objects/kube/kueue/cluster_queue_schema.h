#pragma once

#include "objects/kube/kueue/cluster_queue.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

inline constexpr std::string_view kQueuePreemptionPolicyNames[] = {"Never", "LowerPriority",
                                                                   "LowerOrNewerEqualPriority", "Any"};
inline constexpr Enumeration kQueuePreemptionPolicy{kQueuePreemptionPolicyNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<QueuePreemptionPolicy> = &kQueuePreemptionPolicy;

extern const Schema kClusterQueueSchema;

}  // namespace loadline::kube

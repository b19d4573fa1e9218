#pragma once

#include "objects/kube/core/pod.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

inline constexpr std::string_view kPreemptionPolicyNames[] = {"PreemptLowerPriority", "Never"};
inline constexpr Enumeration kPreemptionPolicy{kPreemptionPolicyNames, {}, Enumeration::Order::kAsListed};
template <>
inline constexpr const Enumeration* kEnumerationOf<PreemptionPolicy> = &kPreemptionPolicy;

inline constexpr std::string_view kRestartPolicyNames[] = {"Always", "OnFailure", "Never"};
inline constexpr Enumeration kRestartPolicy{kRestartPolicyNames, {}, Enumeration::Order::kAsListed};
template <>
inline constexpr const Enumeration* kEnumerationOf<RestartPolicy> = &kRestartPolicy;

extern const Schema kPodSchema;
extern const Schema kPodTemplateSpecSchema;
extern const Schema kPodSpecSchema;

}  // namespace loadline::kube

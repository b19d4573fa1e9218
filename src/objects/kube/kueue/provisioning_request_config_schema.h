#pragma once

#include "objects/kube/kueue/provisioning_request_config.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

inline constexpr std::string_view kPodSetMergePolicyNames[] = {"IdenticalPodTemplates",
                                                               "IdenticalWorkloadSchedulingRequirements"};
inline constexpr Enumeration kPodSetMergePolicy{kPodSetMergePolicyNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<PodSetMergePolicy> = &kPodSetMergePolicy;

extern const Schema kProvisioningRequestConfigSchema;

}  // namespace loadline::kube

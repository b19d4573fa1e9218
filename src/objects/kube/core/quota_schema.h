#pragma once

#include "objects/kube/core/quota.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

inline constexpr std::string_view kResourceQuotaScopeNames[] = {"Terminating",          "NotTerminating",
                                                                "BestEffort",           "NotBestEffort",
                                                                "PriorityClass",        "CrossNamespacePodAffinity",
                                                                "VolumeAttributesClass"};
inline constexpr Enumeration kResourceQuotaScope{kResourceQuotaScopeNames, "unsupported scope"};
template <>
inline constexpr const Enumeration* kEnumerationOf<ResourceQuotaScope> = &kResourceQuotaScope;

extern const Schema kResourceQuotaSchema;
extern const Schema kLimitRangeSchema;

}  // namespace loadline::kube

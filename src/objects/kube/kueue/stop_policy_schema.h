#pragma once

#include <string_view>

#include "objects/kube/kueue/stop_policy.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

inline constexpr std::string_view kStopPolicyNames[] = {"None", "HoldAndDrain", "Hold"};
inline constexpr Enumeration kStopPolicy{kStopPolicyNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<StopPolicy> = &kStopPolicy;

}  // namespace loadline::kube

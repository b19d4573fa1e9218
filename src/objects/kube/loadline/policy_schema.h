#pragma once

#include "objects/kube/loadline/policy.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

inline constexpr std::string_view kPolicyBaseNames[] = {"Parity", "Recommended"};
inline constexpr Enumeration kPolicyBase{kPolicyBaseNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<PolicyBase> = &kPolicyBase;

extern const Schema kPolicySchema;

}  // namespace loadline::kube

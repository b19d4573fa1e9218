#pragma once

#include "objects/kube/kueue/admission_check.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

inline constexpr std::string_view kCheckStateNames[] = {"Retry", "Rejected", "Pending", "Ready"};
inline constexpr Enumeration kCheckState{kCheckStateNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<CheckState> = &kCheckState;

extern const Schema kAdmissionCheckSchema;

}  // namespace loadline::kube

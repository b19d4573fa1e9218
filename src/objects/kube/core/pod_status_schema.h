#pragma once

#include "objects/kube/core/pod.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

inline constexpr std::string_view kPodPhaseNames[] = {"Pending", "Running", "Succeeded", "Failed", "Unknown"};
inline constexpr Enumeration kPodPhase{kPodPhaseNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<PodPhase> = &kPodPhase;

extern const Schema kPodStatusSchema;

}  // namespace loadline::kube

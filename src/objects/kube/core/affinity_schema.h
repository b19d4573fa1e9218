#pragma once

#include "objects/kube/core/pod.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

inline constexpr std::string_view kNodeSelectorOperatorNames[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
inline constexpr Enumeration kNodeSelectorOperator{kNodeSelectorOperatorNames, "not a valid selector operator"};
template <>
inline constexpr const Enumeration* kEnumerationOf<NodeSelectorOperator> = &kNodeSelectorOperator;

inline constexpr std::string_view kTaintEffectNames[] = {"", "NoSchedule", "PreferNoSchedule", "NoExecute"};
inline constexpr Enumeration kTaintEffect{kTaintEffectNames, {}, Enumeration::Order::kAsListed, true};
template <>
inline constexpr const Enumeration* kEnumerationOf<TaintEffect> = &kTaintEffect;

inline constexpr std::string_view kTolerationOperatorNames[] = {"Equal", "Exists", "Gt", "Lt"};
inline constexpr Enumeration kTolerationOperator{kTolerationOperatorNames, {}, Enumeration::Order::kAsListed, false, 2};
template <>
inline constexpr const Enumeration* kEnumerationOf<TolerationOperator> = &kTolerationOperator;

inline constexpr std::string_view kUnsatisfiableActionNames[] = {"DoNotSchedule", "ScheduleAnyway"};
inline constexpr Enumeration kUnsatisfiableAction{kUnsatisfiableActionNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<UnsatisfiableAction> = &kUnsatisfiableAction;

inline constexpr std::string_view kNodeInclusionPolicyNames[] = {"Honor", "Ignore"};
inline constexpr Enumeration kNodeInclusionPolicy{kNodeInclusionPolicyNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<NodeInclusionPolicy> = &kNodeInclusionPolicy;

extern const Schema kNodeSelectorSchema;
extern const Schema kAffinitySchema;
extern const Schema kTolerationSchema;
extern const Schema kTopologySpreadConstraintSchema;
extern const Schema kNodeSelectorTermSchema;
extern const Schema kNodeAffinitySchema;

}  // namespace loadline::kube

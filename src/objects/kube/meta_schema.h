#pragma once

#include "objects/kube/schema.h"

namespace loadline::kube {

inline constexpr std::string_view kLabelSelectorOperatorNames[] = {"In", "NotIn", "Exists", "DoesNotExist"};
inline constexpr Enumeration kLabelSelectorOperator{kLabelSelectorOperatorNames, "not a valid selector operator"};
template <>
inline constexpr const Enumeration* kEnumerationOf<LabelSelectorOperator> = &kLabelSelectorOperator;

extern const Schema kObjectMetaSchema;
extern const Schema kMetaConditionSchema;
extern const Schema kLabelSelectorSchema;

}  // namespace loadline::kube

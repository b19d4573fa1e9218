#pragma once

#include "objects/kube/kueue/configuration.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

inline constexpr std::string_view kRequeuingTimestampNames[] = {"Eviction", "Creation"};
inline constexpr Enumeration kRequeuingTimestamp{kRequeuingTimestampNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<RequeuingTimestamp> = &kRequeuingTimestamp;

inline constexpr std::string_view kQuotaCheckStrategyNames[] = {"BlockUndeclared", "IgnoreUndeclared"};
inline constexpr std::string_view kFairSharingStrategyNames[] = {"LessThanOrEqualToFinalShare", "LessThanInitialShare"};

inline constexpr std::string_view kTransformationStrategyNames[] = {"Retain", "Replace"};
inline constexpr Enumeration kTransformationStrategy{kTransformationStrategyNames, {}, Enumeration::Order::kAsListed};
template <>
inline constexpr const Enumeration* kEnumerationOf<TransformationStrategy> = &kTransformationStrategy;

/// Of a file of Kueue's manager, in each version. What a version fills in is for the reader to say.
extern const Schema kKueueConfigurationSchema;
extern const Schema kKueueConfigurationBeta1Schema;

}  // namespace loadline::kube

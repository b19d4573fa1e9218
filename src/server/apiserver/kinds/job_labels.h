#pragma once

#include "foundation/document/value.h"

namespace loadline::apiserver {

// What ties a job's pods to it, under today's names and those of old.
inline constexpr const char* kJobName = "batch.kubernetes.io/job-name";
inline constexpr const char* kControllerUid = "batch.kubernetes.io/controller-uid";
inline constexpr const char* kLegacyJobName = "job-name";
inline constexpr const char* kLegacyControllerUid = "controller-uid";

/// A new job with the selector and the labels of its pods that upstream generates from its uid, unless it says
/// manualSelector; a job without labels takes those of its pods. Source: generateSelector, v1.36.
document::Value with_generated_selector(const document::Value& job);

}  // namespace loadline::apiserver

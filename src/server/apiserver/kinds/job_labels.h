#pragma once

#include "foundation/document/value.h"

namespace loadline::apiserver {

/// A new job with the selector and the labels of its pods that upstream generates from its uid, unless it says
/// manualSelector; a job without labels takes those of its pods. Source: generateSelector, v1.36.
document::Value with_generated_selector(const document::Value& job);

}  // namespace loadline::apiserver

#pragma once

#include <string_view>

#include "foundation/base/time.h"
#include "foundation/document/value.h"

namespace loadline::apiserver {

/// The condition of that type in status.conditions; null if there is none.
const document::Value* find_condition(const document::Value& object, std::string_view type);

/// The object with a condition in place of the one of its type, or after all others. The time of the last transition
/// stays if the status does.
document::Value with_condition(const document::Value& object, document::Object condition, Instant now);

}  // namespace loadline::apiserver

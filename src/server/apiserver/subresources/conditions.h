#pragma once

#include <string_view>

#include "foundation/base/time.h"
#include "foundation/document/value.h"

namespace loadline::apiserver {

/// The object with a condition in place of the one of its type, or after all others. The time of the last transition
/// stays if the status does.
document::Value with_condition(const document::Value& object, document::Object condition, Instant now);

/// The object with a condition of these words; the object itself if its condition says so already.
document::Value with_state(const document::Value& object, std::string_view type, std::string_view status,
                           std::string_view reason, std::string_view message, Instant now);

}  // namespace loadline::apiserver

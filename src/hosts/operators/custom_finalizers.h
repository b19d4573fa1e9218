#pragma once

#include <string_view>

#include "foundation/document/value.h"

namespace loadline::operators {

/// The object with the finalizer at the end, or without it. A custom resource takes no strategic merge patch that could
/// say so.
[[nodiscard]] document::Value with_finalizer(document::Value object, std::string_view finalizer);
[[nodiscard]] document::Value without_finalizer(document::Value object, std::string_view finalizer);

}  // namespace loadline::operators

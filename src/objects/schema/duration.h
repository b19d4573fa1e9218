#pragma once

#include <string_view>

#include "foundation/base/result.h"
#include "foundation/base/time.h"

namespace loadline::schema {

/// Reads a span of time as Go writes it: "300ms", "-1.5h", "2h45m"; "0" needs no unit. Fractions of a nanosecond are
/// dropped. Errors are Go's. Source: time.ParseDuration.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);

}  // namespace loadline::schema

#pragma once

#include <string>

#include "foundation/base/time.h"

namespace loadline::net {

/// "Sun, 06 Nov 1994 08:49:37 GMT", as HTTP writes dates (RFC 9110, 5.6.7).
[[nodiscard]] std::string format_http_date(Instant at);

}  // namespace loadline::net

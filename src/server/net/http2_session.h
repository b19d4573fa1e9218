#pragma once

#include <memory>

#include "server/net/connection.h"

namespace loadline::net {

/// HTTP/2 on `connection`, which outlives it.
[[nodiscard]] std::unique_ptr<Session> make_http2_session(Connection& connection);

}  // namespace loadline::net

#pragma once

#include <memory>

#include "server/net/connection.h"

namespace loadline::net {

/// HTTP/1.1 (and 1.0) on `connection`, which outlives it: one request after the other, answers in their order.
[[nodiscard]] std::unique_ptr<Session> make_http1_session(Connection& connection);

}  // namespace loadline::net

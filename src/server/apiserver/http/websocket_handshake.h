#pragma once

#include <string>
#include <tl/expected.hpp>

#include "server/apiserver/status.h"
#include "server/net/http.h"

namespace loadline::apiserver {

/// Whether a request wants its answer over a WebSocket: browsers watch in this way.
/// Source: IsWebSocketRequest of k8s.io/streaming/pkg/httpstream/wsstream, v0.36.
[[nodiscard]] bool wants_websocket(const net::Request& request);

/// The headers that agree to the switch, or the answer that declines it. As upstream's watches, this one wants an
/// Origin, and at most one subprotocol besides that of a token. Source: golang.org/x/net/websocket.
[[nodiscard]] tl::expected<net::Headers, net::Response> agree_to_websocket(const net::Request& request);

/// What would be the header Authorization, from the subprotocol in which browsers, which cannot set that header, pass a
/// bearer token: `base64url.bearer.authorization.k8s.io.<token>`. Empty if there is none; 401 if it is malformed.
/// Source: k8s.io/apiserver/pkg/authentication/request/websocket/protocol.go, v0.36.
[[nodiscard]] Answer<std::string> websocket_authorization(const net::Request& request);

}  // namespace loadline::apiserver

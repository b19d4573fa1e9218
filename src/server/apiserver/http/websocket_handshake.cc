#include "server/apiserver/http/websocket_handshake.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/base64.h"
#include "foundation/base/text.h"
#include "foundation/document/utf8.h"
#include "server/apiserver/http/headers.h"
#include "server/net/websocket.h"

namespace loadline::apiserver {
namespace {

constexpr std::string_view kTokenProtocol = "base64url.bearer.authorization.k8s.io.";
constexpr std::string_view kProtocol = "Sec-WebSocket-Protocol";

/// What the client offers, in its order; `tokens` gets the subprotocols that are a token.
std::vector<std::string_view> offered_protocols(const net::Request& request, std::vector<std::string_view>& tokens) {
  std::vector<std::string_view> offered;
  for (const std::string_view value : request.headers.all(kProtocol)) {
    for (const std::string_view part : split(value, ",")) {
      const std::string_view protocol = trim(part);
      if (protocol.starts_with(kTokenProtocol)) {
        tokens.push_back(protocol.substr(kTokenProtocol.size()));
      } else if (!protocol.empty()) {
        offered.push_back(protocol);
      }
    }
  }
  return offered;
}

/// What Go's url.ParseRequestURI takes: a path, or something with a scheme.
bool is_origin(std::string_view text) {
  const std::size_t colon = text.find(':');
  return text.starts_with('/') || (colon != std::string_view::npos && colon > 0 && colon < text.find('/'));
}

tl::unexpected<net::Response> decline(int status, std::string_view why) {
  return tl::unexpected(net::plain_response(status, std::string(why)));
}

}  // namespace

bool wants_websocket(const net::Request& request) {
  return net::equal_ignoring_case(header(request, "Upgrade"), "websocket") &&
         request.headers.has_token("Connection", "upgrade");
}

tl::expected<net::Headers, net::Response> agree_to_websocket(const net::Request& request) {
  if (request.method != "GET") return decline(405, "bad method");
  const std::string_view key = header(request, "Sec-WebSocket-Key");
  if (key.empty()) return decline(400, "mismatch challenge/response");
  if (header(request, "Sec-WebSocket-Version") != "13") {
    net::Response response = net::plain_response(400, "missing or bad WebSocket Version");
    response.headers.add("Sec-WebSocket-Version", "13");
    return tl::unexpected(std::move(response));
  }
  if (!is_origin(header(request, "Origin"))) return decline(403, {});
  std::vector<std::string_view> tokens;
  const std::vector<std::string_view> offered = offered_protocols(request, tokens);
  if (offered.size() > 1) return decline(400, {});
  net::Headers headers{{"Sec-WebSocket-Accept", net::websocket_accept(key)}};
  if (!offered.empty()) headers.add(std::string(kProtocol), std::string(offered.front()));
  return headers;
}

Answer<std::string> websocket_authorization(const net::Request& request) {
  if (!wants_websocket(request)) return std::string();
  std::vector<std::string_view> tokens;
  const std::vector<std::string_view> offered = offered_protocols(request, tokens);
  if (tokens.empty()) return std::string();
  // The one that is a token is never agreed to, so there must be another.
  if (tokens.size() > 1 || offered.empty()) return refuse(unauthorized());
  const std::optional<std::string> token = decode_base64url(tokens.front());
  if (!token || document::valid_utf8_prefix(*token) < token->size()) return refuse(unauthorized());
  return token->empty() ? std::string() : "Bearer " + *token;
}

}  // namespace loadline::apiserver

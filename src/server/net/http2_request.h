#pragma once

#include <cstddef>
#include <string_view>

#include "server/net/connection.h"
#include "server/net/http2_stream.h"

namespace loadline::net {

// A request as it comes over HTTP/2, field by field and piece by piece, held against the server's limits. What is wrong
// with it is returned, for the session to answer; nothing here knows of nghttp2.

/// Why a request is refused; status 0: it is not.
struct Http2Refusal {
  int status = 0;
  std::string_view text;

  explicit operator bool() const { return status != 0; }
};

/// How many bytes of a header block a field counts: what it is, and 32 (RFC 7541, 4.1).
[[nodiscard]] std::size_t counted_size(std::string_view name, std::string_view value);

/// Takes a field into the stream's request; those of trailers are counted, and dropped. Of what is too much, nothing is
/// taken any more: problem_of_head() says so.
void take_field(Http2Stream& stream, ServerState& server, std::string_view name, std::string_view value,
                bool is_trailer);

/// Whether something is wrong with the head, now that all of it is there. `ends`: no body follows.
[[nodiscard]] Http2Refusal problem_of_head(const Http2Stream& stream, const ServerState& server, bool ends);

/// Whether the client waits for the status 100 before it sends the body.
[[nodiscard]] bool expects_continue(const Request& request);

/// Takes a piece of the body, or says why not.
[[nodiscard]] Http2Refusal take_body(Http2Stream& stream, ServerState& server, std::string_view bytes);

/// The server no longer counts what it held of the request.
void release_request(Http2Stream& stream, ServerState& server);

}  // namespace loadline::net

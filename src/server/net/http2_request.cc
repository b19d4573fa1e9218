#include "server/net/http2_request.h"

#include <charconv>
#include <string>

#include "server/net/http.h"

namespace loadline::net {
namespace {

/// The server counts what it holds of requests that are not whole: their heads, too, for a few bytes of HPACK can
/// stand for 64 KiB.
void hold(Http2Stream& stream, ServerState& server, std::size_t bytes) {
  stream.counted_body += bytes;
  server.body_bytes += bytes;
}

}  // namespace

std::size_t counted_size(std::string_view name, std::string_view value) {
  constexpr std::size_t kFieldOverhead = 32;
  return name.size() + value.size() + kFieldOverhead;
}

void take_field(Http2Stream& stream, ServerState& server, std::string_view name, std::string_view value,
                bool is_trailer) {
  stream.header_bytes += counted_size(name, value);
  if (name == ":path") {
    if (value.size() > server.limits.request_line) stream.refusal = 414;
    stream.header_bytes -= value.size();  // it has a limit of its own
  }
  if (stream.header_bytes > server.limits.header_fields) stream.refusal = 431;
  if (stream.refusal != 0 || is_trailer) return;
  hold(stream, server, counted_size(name, value));
  Request& request = stream.request;
  if (name == ":method") {
    request.method = value;
  } else if (name == ":path") {
    request.target = value;
  } else if (name == ":authority") {
    request.headers.add("host", std::string(value));
  } else if (!name.starts_with(':') && (name != "host" || request.headers.find("host") == nullptr)) {
    request.headers.add(std::string(name), std::string(value));
  }
}

Http2Refusal problem_of_head(const Http2Stream& stream, const ServerState& server, bool ends) {
  if (stream.refusal != 0) {
    return {stream.refusal, stream.refusal == 414 ? "the request line is too long" : "the header fields are too long"};
  }
  if (ends) return {};
  if (server.body_bytes > server.limits.bodies) return {503, "too many requests are arriving at once"};
  const std::string* length = stream.request.headers.find("content-length");
  std::size_t announced = 0;
  if (length != nullptr) std::from_chars(length->data(), length->data() + length->size(), announced);
  if (announced > server.limits.body) return {413, "the body is too large"};
  return {};
}

bool expects_continue(const Request& request) {
  const std::string* expectation = request.headers.find("expect");
  return expectation != nullptr && equal_ignoring_case(*expectation, "100-continue");
}

Http2Refusal take_body(Http2Stream& stream, ServerState& server, std::string_view bytes) {
  if (stream.request.body.size() + bytes.size() > server.limits.body) return {413, "the body is too large"};
  stream.request.body += bytes;
  hold(stream, server, bytes.size());
  if (server.body_bytes > server.limits.bodies) return {503, "too many request bodies are arriving at once"};
  return {};
}

void release_request(Http2Stream& stream, ServerState& server) {
  server.body_bytes -= stream.counted_body;
  stream.counted_body = 0;
}

}  // namespace loadline::net

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/net/http.h"

namespace loadline::net {

/// Reads one HTTP/1 message from bytes as they come, in whatever pieces. As strict as a server must be so that no proxy
/// in between reads another message than this parser (request smuggling): lines end in CR LF, no folded fields, one
/// length, "chunked" alone.
/// Source: RFC 9112.
class Http1Parser {
 public:
  enum class Kind : std::uint8_t {
    kRequest,
    kResponse,
    kResponseWithoutBody,  ///< to HEAD: whatever its fields say
  };

  struct Limits {
    std::size_t start_line = std::size_t{64} * 1024;
    std::size_t fields =
        std::size_t{64} * 1024;  ///< bytes of all header fields, and 32 times how many; of trailers, too
    std::size_t body = std::size_t{3} * 1024 * 1024;
  };

  enum class State : std::uint8_t {
    kIdle,  ///< nothing has come yet
    kHead,
    kBody,  ///< the head is known
    kDone,
    kFailed,
  };

  struct ParseFailure {
    int status = 400;  ///< what a server answers
    std::string_view text;
  };

  Http1Parser(Kind kind, const Limits& limits) : kind_(kind), limits_(limits) {}

  /// Takes bytes until the message is whole; returns how many were taken.
  std::size_t feed(std::string_view bytes);

  /// The connection ended: that is how some responses end. Otherwise the message has failed.
  void feed_end();

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] const ParseFailure& failure() const { return failure_; }

  /// Whether the head has just become known, or was known before.
  [[nodiscard]] bool has_head() const { return state_ == State::kBody || state_ == State::kDone; }

  [[nodiscard]] int minor_version() const { return minor_version_; }
  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] std::string& method() { return method_; }
  [[nodiscard]] std::string& target() { return target_; }
  [[nodiscard]] Headers& headers() { return headers_; }

  /// What has come of the body since it was last taken out.
  [[nodiscard]] std::string& body() { return body_; }

  /// Whether the connection can carry another message after this one.
  [[nodiscard]] bool keeps_alive() const { return keeps_alive_; }

 private:
  enum class Framing : std::uint8_t { kNone, kLength, kChunked, kUntilEnd };
  enum class Chunk : std::uint8_t { kSize, kData, kDataEnd, kTrailer };

  std::size_t feed_head(std::string_view bytes);
  std::size_t feed_body(std::string_view bytes);
  std::size_t feed_length(std::string_view bytes);
  std::size_t feed_chunked(std::string_view bytes);
  std::size_t feed_line(std::string_view bytes);

  void fail(int status, std::string_view text);
  void check_head_limits(std::string_view head);
  void parse_head(std::string_view head);
  void parse_request_line(std::string_view line);
  void parse_status_line(std::string_view line);
  void parse_version(std::string_view version);
  void parse_field(std::string_view line);
  void decide_framing();
  void decide_keep_alive();
  void begin_body();
  void append_body(std::string_view bytes);
  void parse_chunk_line(std::string_view line);

  Kind kind_;
  Limits limits_;
  State state_ = State::kIdle;
  ParseFailure failure_;

  std::string partial_;      // of the head, or of a line of the chunked coding
  std::size_t scanned_ = 0;  // of partial_: no end of the head begins before

  int minor_version_ = 1;
  int status_ = 0;
  std::string method_;
  std::string target_;
  Headers headers_;
  bool keeps_alive_ = true;

  Framing framing_ = Framing::kNone;
  Chunk chunk_ = Chunk::kSize;
  std::uint64_t remaining_ = 0;  // of the body, or of the chunk
  std::size_t received_ = 0;     // of the body
  std::size_t trailer_bytes_ = 0;
  std::size_t fields_ = 0;            // of the head
  std::uint64_t chunk_overhead_ = 0;  // bytes of lines between chunks, beyond what these need
  std::string body_;
};

}  // namespace loadline::net

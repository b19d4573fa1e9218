#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "foundation/base/time.h"

namespace loadline::net {

/// How much work that leads nowhere the client of an HTTP/2 connection may ask for: frames that cost it a few bytes and
/// carry nothing (DATA without content, WINDOW_UPDATE, PING, SETTINGS, PRIORITY, CONTINUATION, RST_STREAM, unknown
/// ones). Requests and their bodies are not counted; they have limits of their own.
///
/// 1,000 such frames may come at once and 33 a second on top, as nghttp2 has it for RST_STREAM alone; and one for each
/// 128 bytes of answers that were sent, for a client that reads much has much to acknowledge (Go's after 4 KiB). It
/// reads the bytes themselves, so what nghttp2 drops without a word counts, too. Cost: some comparisons a frame.
/// Source: RFC 9113, 10.5; CVE-2019-9511 to 9518, CVE-2023-44487, CVE-2024-27316.
class Http2FrameBudget {
 public:
  /// Takes what came, in pieces of any size, from the connection's first byte on; `age` is how long there has been a
  /// server, by a clock that does not jump. False: the budget is spent.
  [[nodiscard]] bool take(std::string_view bytes, Duration age);

  /// So many bytes of bodies were sent.
  void sent(std::size_t bytes) { earned_bytes_ += bytes; }

 private:
  static constexpr std::size_t kHead = 9;

  [[nodiscard]] bool take_frame(Duration age);
  [[nodiscard]] bool pay(Duration age);

  std::size_t preface_ = 24;  // bytes of it that are still to come
  std::array<char, kHead> head_{};
  std::size_t head_bytes_ = 0;
  std::size_t payload_ = 0;  // bytes of the frame that are still to come

  std::int64_t allowance_ = 1'000;
  std::int64_t refilled_ = 0;  // seconds
  std::uint64_t earned_bytes_ = 0;
};

}  // namespace loadline::net

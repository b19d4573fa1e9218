#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "server/net/peer.h"

namespace loadline::net {

/// What came of reading or writing.
struct Transfer {
  enum class State : std::uint8_t {
    kDone,     ///< `bytes` (at least one) were moved
    kBlocked,  ///< nothing can be moved now; the stream's callback is called when that may have changed
    kEnd,      ///< reading: the other side has sent all it will
    kFailed,   ///< the stream is of no more use
  };

  State state = State::kFailed;
  std::size_t bytes = 0;

  static Transfer done(std::size_t count) { return {State::kDone, count}; }
  static Transfer blocked() { return {State::kBlocked, 0}; }
  static Transfer end() { return {State::kEnd, 0}; }
  static Transfer failed() { return {State::kFailed, 0}; }
};

/// A connection as two streams of bytes: over TCP, TLS or memory. Nothing here waits, and nothing keeps a buffer while
/// idle: the caller tries to read or write, and is called back when trying again is worth it.
/// One owner, one thread: its event loop's.
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  /// Cuts the connection.
  virtual ~Stream() = default;

  /// Fills the front of `into`, which is not empty.
  virtual Transfer read(std::span<char> into) = 0;

  /// Sends the front of `pieces`, one after the other; they are not all empty. After kBlocked, the next call must offer
  /// at least the same bytes.
  virtual Transfer write(std::span<const std::string_view> pieces) = 0;

  /// `callback` is called on the loop, never from within a call of this object, after a read or write was blocked and
  /// may go on. It may destroy the stream.
  virtual void on_ready(std::function<void()> callback) = 0;

  /// Tells the other side that nothing more will be sent. Reading goes on.
  virtual void finish() = 0;

  /// The other end. What TLS knows of it is known from the first successful read on.
  [[nodiscard]] virtual Peer peer() const = 0;

  /// The protocol that both ends agreed upon ("h2"), or empty. Known from the first successful read on.
  [[nodiscard]] virtual std::string protocol() const = 0;
};

}  // namespace loadline::net

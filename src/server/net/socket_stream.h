#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "foundation/base/result.h"
#include "server/net/loop.h"
#include "server/net/stream.h"

namespace loadline::net {

/// A connected (or connecting) descriptor on a loop: tells when it can be read or written.
class Socket {
 public:
  /// Owns `descriptor`, which does not block, from now on.
  Socket(Loop& loop, int descriptor, bool is_v6);
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();

  [[nodiscard]] int descriptor() const;

  void on_ready(std::function<void()> callback);

  /// Has the callback called once the descriptor can be read, or written. Asking twice is asking once.
  void wait_readable();
  void wait_writable();

  /// Shuts down the sending side.
  void finish();

  /// "127.0.0.1:6443" of the other end.
  [[nodiscard]] std::string peer_address() const;

 private:
  class State;
  std::shared_ptr<State> state_;  // what waits shares it
};

/// TCP, as it is.
class SocketStream final : public Stream {
 public:
  explicit SocketStream(std::unique_ptr<Socket> socket);
  ~SocketStream() override;

  Transfer read(std::span<char> into) override;
  Transfer write(std::span<const std::string_view> pieces) override;
  void on_ready(std::function<void()> callback) override;
  void finish() override;
  [[nodiscard]] Peer peer() const override;
  [[nodiscard]] std::string protocol() const override { return {}; }

 private:
  std::unique_ptr<Socket> socket_;
  bool drained_ = false;  // the last read took all there was
};

/// Begins to connect to `address` ("127.0.0.1", "::1": no names) and `port`: blocked until it is connected.
[[nodiscard]] Result<std::unique_ptr<Socket>> connect_socket(Loop& loop, const std::string& address,
                                                             std::uint16_t port);

}  // namespace loadline::net

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "foundation/base/event_loop.h"
#include "foundation/base/result.h"
#include "server/net/exchange.h"
#include "server/net/loop.h"
#include "server/net/server_options.h"
#include "server/net/stream.h"

namespace loadline::net {

/// An HTTP server: HTTP/1.1, and over TLS HTTP/2. Runs on its loop's thread; nothing in it waits. The loop and the
/// handler outlive it.
class Server {
 public:
  Server(EventLoop& loop, ServerOptions options, Handler& handler);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  /// Cuts all connections.
  ~Server();

  /// Accepts connections on `address` ("127.0.0.1", "::1", "0.0.0.0": no names) and `port`; 0: one that is free, which
  /// is returned. May be called for several addresses. `loop` is the one the server was made with.
  Result<std::uint16_t> listen(Loop& loop, const std::string& address = "127.0.0.1", std::uint16_t port = 0);

  /// The port of the first listen(); 0 before.
  [[nodiscard]] std::uint16_t port() const;

  /// Serves one connection that is there already.
  void serve(std::unique_ptr<Stream> stream);

  [[nodiscard]] std::size_t connections() const;

  /// Accepts no more, lets answers that are under way end, but cuts what is left after `grace`: watches, whose
  /// exchanges are told so. Then calls `stopped`, on the loop.
  void stop(Duration grace, EventLoop::Task stopped = {});

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace loadline::net

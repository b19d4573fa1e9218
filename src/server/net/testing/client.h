#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/base/event_loop.h"
#include "foundation/base/result.h"
#include "server/net/http.h"
#include "server/net/loop.h"
#include "server/net/stream.h"
#include "server/net/tls.h"

namespace loadline::net {

/// The client's end of one HTTP/1.1 connection: one request at a time, the connection kept between them. All on the
/// loop's thread. It sets no time limits: the caller decides how long it waits, and ends it with close().
class Client {
 public:
  /// Called on the loop, never from within send(), in this order; any may be empty, and any may destroy the client.
  struct Receiver {
    std::function<void(int status, const Headers& headers)> head;
    std::function<void(std::string_view piece)> body;  ///< as it comes
    std::function<void(Result<void> outcome)> done;    ///< once, whatever happens, unless the client is destroyed
  };

  /// `host`: what the header Host says.
  Client(EventLoop& loop, std::unique_ptr<Stream> stream, std::string host);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  /// Begins to connect to an IP address; `tls` null: plain text. Whether it works, the first request tells.
  [[nodiscard]] static Result<std::unique_ptr<Client>> connect(Loop& loop, const std::string& address,
                                                               std::uint16_t port,
                                                               const std::shared_ptr<const TlsContext>& tls);

  /// Sends a request; Host and Content-Length are added. REQUIRES: is_idle().
  void send(const Request& request, Receiver receiver);

  /// The same, for answers that are wanted whole.
  void send(const Request& request, std::function<void(Result<Response>)> answered);

  /// Whether no answer is awaited.
  [[nodiscard]] bool is_idle() const;

  /// Whether the connection can carry a request still.
  [[nodiscard]] bool is_open() const;

  /// Stops reading (and so, in the end, the other side's writing) until it is called with false.
  void pause(bool paused);

  /// Closes the connection; an answer that is awaited fails, on the loop.
  void close();

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace loadline::net

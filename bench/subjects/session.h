#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "server/net/loop.h"
#include "server/net/testing/client.h"
#include "server/net/tls.h"

namespace loadline::bench {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start);

/// Talks to one server: HTTP/1.1 over TLS, with a bearer token, from this thread. Any server's certificate is believed.
class Session {
 public:
  static Result<std::unique_ptr<Session>> make(std::uint16_t port, std::string token);

  [[nodiscard]] Result<std::unique_ptr<net::Client>> connect();

  /// A request with the token and, if it has a body, its type.
  [[nodiscard]] net::Request request(std::string_view method, std::string target, std::string body = {},
                                     std::string_view type = "application/json") const;

  /// Sends a request over a connection of its own, or the one of the last call, and waits for the whole answer.
  Result<net::Response> ask(const net::Request& request);

  /// The same; another status than the one that is expected is an error that holds the answer's text.
  Result<net::Response> expect(int status, const net::Request& request);

  /// Lets connections work until leave() is called; false if that took longer than `limit`.
  bool run(std::chrono::milliseconds limit);
  void leave();

  [[nodiscard]] net::Loop& loop() { return loop_; }

 private:
  Session(std::uint16_t port, std::string token, std::shared_ptr<const net::TlsContext> tls)
      : port_(port), token_(std::move(token)), tls_(std::move(tls)) {}

  net::Loop loop_;
  std::uint16_t port_;
  std::string token_;
  std::shared_ptr<const net::TlsContext> tls_;
  std::unique_ptr<net::Client> client_;
  bool left_ = false;
};

}  // namespace loadline::bench

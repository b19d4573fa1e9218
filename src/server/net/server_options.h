#pragma once

#include <cstddef>
#include <memory>

#include "foundation/base/time.h"
#include "server/net/tls.h"

namespace loadline::net {

/// What a server takes from its clients at most. No client costs more, whatever it sends.
struct ServerLimits {
  std::size_t request_line = std::size_t{64} * 1024;
  std::size_t header_fields = std::size_t{64} * 1024;         ///< bytes of all of a request, and 32 times how many
  std::size_t body = std::size_t{3} * 1024 * 1024;            ///< kube-apiserver's limit
  std::size_t bodies = std::size_t{256} * 1024 * 1024;        ///< of arriving requests together; with heads of HTTP/2
  std::size_t connections = 20'000;                           ///< more are closed at once
  std::size_t concurrent_streams = 250;                       ///< of one HTTP/2 connection, as kube-apiserver allows
  std::size_t exchange_queue = std::size_t{4} * 1024 * 1024;  ///< bytes of an answer that wait to be sent

  Duration header_time = Duration::seconds(32);  ///< from a request's first byte, or the connection, to its head's end
  Duration request_time = Duration::seconds(120);  ///< from a request's first byte to its last
  Duration idle_time = Duration::seconds(180);     ///< between requests
  Duration stall_time = Duration::seconds(60);     ///< while something waits to be sent, and nothing can be
};

struct ServerOptions {
  std::shared_ptr<const TlsContext> tls;  ///< null: plain text
  ServerLimits limits;
};

}  // namespace loadline::net

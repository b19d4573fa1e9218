#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "foundation/base/result.h"
#include "server/net/loop.h"
#include "server/net/socket_stream.h"

namespace loadline::net {

/// A listening socket. Destroying it ends listening.
class Listener {
 public:
  using Accepted = std::function<void(std::unique_ptr<Socket>)>;

  /// Calls `accepted`, on the loop, for each connection. `port` 0: any that is free.
  [[nodiscard]] static Result<std::unique_ptr<Listener>> open(Loop& loop, const std::string& address,
                                                              std::uint16_t port, Accepted accepted);

  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();

  [[nodiscard]] std::uint16_t port() const;

 private:
  class State;
  explicit Listener(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;  // what waits shares it
};

}  // namespace loadline::net

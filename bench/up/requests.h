#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "bench/subjects/session.h"
#include "foundation/base/result.h"

namespace loadline::bench {

/// Requests that come when they come, over a few connections that are kept: each waits for one that is free. They go on
/// whenever the session's loop runs.
class Requests {
 public:
  /// Hears the status of the answer, once it is there.
  using Answered = std::function<void(int status)>;

  Requests(Session& session, std::size_t connections);
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  void send(net::Request request, Answered answered);
  /// Neither waiting nor under way.
  [[nodiscard]] bool is_idle() const { return waiting_.empty() && free_.size() == clients_.size(); }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  /// The first connection that broke; nothing: none did.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  [[nodiscard]] net::Client* client_of(std::size_t connection);
  void send_over(std::size_t connection, const net::Request& request, Answered answered);
  void take_next();

  struct Waiting {
    net::Request request;
    Answered answered;
  };
  Session& session_;
  std::vector<std::unique_ptr<net::Client>> clients_;  // null until it is needed
  std::vector<std::size_t> free_;
  std::deque<Waiting> waiting_;
  std::optional<Error> error_;
};

/// Lets the session's loop run until `is_done`, which is asked now and then. False: it was not in time.
bool run_until(Session& session, std::chrono::milliseconds limit, const std::function<bool()>& is_done);

}  // namespace loadline::bench

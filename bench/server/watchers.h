#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "bench/subjects/session.h"
#include "foundation/base/result.h"

namespace loadline::bench {

/// Many watches of the same objects, each over a connection of its own, as as many clients would have.
class Watchers {
 public:
  explicit Watchers(Session& session) : session_(session) {}

  /// Opens `count` watches of a target, and waits until the server has begun to answer all of them.
  Result<void> open(std::size_t count, const std::string& target);

  /// What happened between a write and its events.
  struct Heard {
    double last_ms = 0;             ///< until every watcher had all of them
    std::vector<double> events_ms;  ///< from the write to each watcher's event
  };

  /// Makes one write, which is one event, and waits until all watchers have it.
  Result<Heard> hear(net::Client& writer, const net::Request& write, int status);

  /// Waits until all watchers have `events` since the last call of hear() or this. Returns how many are missing after
  /// so long, or were too many.
  std::size_t missing_of(std::size_t events, std::chrono::milliseconds limit);

 private:
  void on_piece(std::string_view piece);
  void on_end(const Result<void>& outcome);
  void look();

  Session& session_;
  std::vector<std::unique_ptr<net::Client>> clients_;
  std::size_t begun_ = 0;
  std::size_t ended_ = 0;
  std::size_t wanted_ = 0;    // events, of all watchers together
  std::size_t received_ = 0;  // likewise
  bool is_written_ = true;    // the write that they wait for was answered
  bool waits_ = false;
  Clock::time_point sent_;
  std::vector<double> samples_;
  bool samples_are_wanted_ = false;
};

}  // namespace loadline::bench

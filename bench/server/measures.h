#pragma once

#include <cstddef>
#include <vector>

#include "bench/subjects/sheet.h"
#include "bench/subjects/subject.h"
#include "foundation/base/result.h"

namespace loadline::bench {

/// How much of everything.
struct Sizes {
  double seconds = 2;  ///< of each load
  std::vector<std::size_t> writers = {1, 16, 64};
  std::size_t listed = 500;
  std::size_t lists = 10;
  std::vector<std::size_t> watchers = {1, 20, 100};
  std::size_t watched_writes = 200;
  std::vector<std::size_t> crowds = {1'000, 10'000};
  std::size_t crowd_writes = 10;
  std::size_t burst = 20;
  std::size_t peer_crowd = 1'000;  ///< larger ones only of our own
  std::vector<std::size_t> loads = {10'000, 100'000};
  std::size_t peer_load = 10'000;  ///< likewise

  /// Enough to see that all of it works, in seconds.
  static Sizes quick();
};

// Each wants a server that was just started, and leaves it as it may.

/// Time until ready, and memory when idle.
Result<void> measure_start(Subject& subject, const Sizes& sizes, Sheet& sheet);
/// Creates, gets, patches of the status, short lists.
Result<void> measure_requests(Subject& subject, const Sizes& sizes, Sheet& sheet);
/// From a create to its event, with several watchers.
Result<void> measure_latency(Subject& subject, const Sizes& sizes, Sheet& sheet);
/// Events to thousands: how long, how much memory, and whether any is lost.
Result<void> measure_fan_out(Subject& subject, const Sizes& sizes, Sheet& sheet);
/// Many pods: creating them, listing them, finding them again after a crash.
Result<void> measure_load(Subject& subject, const Sizes& sizes, Sheet& sheet);

}  // namespace loadline::bench

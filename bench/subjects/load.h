#pragma once

#include <cstddef>
#include <functional>

#include "bench/subjects/session.h"
#include "foundation/base/result.h"

namespace loadline::bench {

/// Requests over several connections, on each of which the next follows the answer to the one before.
struct Load {
  std::size_t connections = 1;
  double seconds = 0;  ///< for so long; 0: until `count` requests are answered
  std::size_t count = 0;
  int status = 200;  ///< any other ends it as an error
  std::function<net::Request(std::size_t connection, std::size_t turn)> next;
};

struct LoadOutcome {
  std::size_t answered = 0;
  double seconds = 0;  ///< until the last answer

  [[nodiscard]] double per_second() const { return seconds > 0 ? static_cast<double>(answered) / seconds : 0; }
};

/// Connects, asks for the version over each connection so that they all stand, and then begins to measure.
Result<LoadOutcome> run_load(Session& session, const Load& load);

}  // namespace loadline::bench

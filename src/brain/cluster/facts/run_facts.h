#pragma once

#include <optional>

#include "foundation/base/time.h"

namespace loadline::cluster {

/// What owners say of how a pod runs, for decisions to read. Most pods have nothing of it, so it is no part of
/// PodRecord.
struct RunFacts {
  std::optional<Duration> expected;        ///< so long it runs, or is let run; nullopt: nobody knows
  std::optional<Instant> last_checkpoint;  ///< what it did until then is not lost if it is evicted
  Duration minimum;                        ///< it is not to be preempted before it has run so long
  friend bool operator==(const RunFacts&, const RunFacts&) = default;
};

}  // namespace loadline::cluster

#pragma once

#include <cstdint>

#include "brain/decision/unit.h"
#include "foundation/base/time.h"

namespace loadline::decision {

/// Which rule of backfill lets a unit start although another one, before it in line, waits for its planned start. See
/// StartPromises.
enum class PassingRule : std::uint8_t {
  kEndsBefore,   ///< it ends by then
  kFitsBeside,   ///< the planned places hold beside it
  kMovedBeside,  ///< it has other places than it would have had, and the planned ones hold beside these
  kPlannedAnew,  ///< the planned unit has other places at the same time
};

/// A planned start that a unit was let pass.
struct Passing {
  Unit planned;
  Instant at;
  PassingRule rule = PassingRule::kEndsBefore;
  friend bool operator==(const Passing&, const Passing&) = default;
};

}  // namespace loadline::decision

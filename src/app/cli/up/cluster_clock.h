#pragma once

#include <functional>

#include "foundation/base/paced_loop.h"
#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "foundation/document/value.h"

namespace loadline::cli {

/// The clock of a cluster as its user holds it: it runs at some speed, or stands still until it is told to go on.
class ClusterClock {
 public:
  /// `loop` outlives it. `on_change` hears of each new speed, 0 while the clock stands still, and of the span of a step
  /// before it is taken (else 0).
  ClusterClock(PacedLoop& loop, std::function<void(double speed, Duration step)> on_change);

  void pause();
  /// Goes on at the speed from before the pause.
  void resume();
  /// 0 is a pause. Errors: out of range.
  Result<void> set_speed(double speed);
  /// Moves on by `span`, as fast as the work allows, and stands still then, as it does meanwhile. Calls `done` at the
  /// end. Errors: out of range, which is 30 days.
  Result<void> step(Duration span, std::function<void()> done);

  [[nodiscard]] bool is_paused() const { return loop_.speed() == 0; }
  /// {"now": …, "speed": 60, "paused": false}
  [[nodiscard]] document::Value document() const;

 private:
  void run_at(double speed);

  PacedLoop& loop_;
  std::function<void(double, Duration)> on_change_;
  double speed_;  // while it runs
};

}  // namespace loadline::cli

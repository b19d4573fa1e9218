#pragma once

#include <cstdint>
#include <memory>

#include "base/event_loop.h"
#include "base/time.h"
#include "base/timer_queue.h"

namespace loadline {

/// An event loop on top of another, whose time passes at a pace of its own: faster or slower than the other's, or not
/// at all until it is told to. What is posted runs at once, whatever the pace.
///
/// A step is taken event by event: each task that waits runs at its time, and what it posts runs before time goes on.
class PacedLoop final : public EventLoop {
 public:
  /// `under` outlives this. Time begins with what `under` shows now.
  explicit PacedLoop(EventLoop& under);

  [[nodiscard]] Instant now() const override { return {start_.nanoseconds + elapsed()}; }
  void post(Task task) override { under_.post(std::move(task)); }
  [[nodiscard]] std::unique_ptr<Timer> after(Duration delay, Task task) override;

  /// Seconds that pass in one of the loop below, from now on; 0 pauses. REQUIRES: 0 <= speed <= 1,000,000.
  void set_speed(double speed);
  [[nodiscard]] double speed() const { return speed_; }

  /// Moves on by `span` while paused, as fast as the work allows, and calls `done` (may be empty) at its end. Another
  /// step meanwhile adds to it.
  void step(Duration span, Task done = {});

 private:
  /// Nanoseconds of ours since the start.
  [[nodiscard]] std::int64_t elapsed() const;
  [[nodiscard]] std::int64_t below() const { return under_.now().nanoseconds; }
  void arm();
  void run_due();
  void walk();

  EventLoop& under_;
  Instant start_;
  double speed_ = 1;
  std::int64_t anchor_ = 0;        // ours, when the pace last changed
  std::int64_t anchor_below_ = 0;  // the other's then
  TimerQueue timers_;
  std::unique_ptr<Timer> timer_;  // of the loop below, for the first of timers_
  std::int64_t step_end_ = 0;     // of a step under way
  bool is_stepping_ = false;
  Task step_done_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // posted tasks look at it
};

}  // namespace loadline

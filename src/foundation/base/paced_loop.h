#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "foundation/base/event_loop.h"
#include "foundation/base/time.h"
#include "foundation/base/timer_queue.h"

namespace loadline {

/// An event loop on top of another, whose time passes at a pace of its own: faster or slower than the other's, or not
/// at all until it is told to. What is posted runs at once, whatever the pace.
///
/// A step is taken moment by moment: each task that waits runs at its time, and what comes of it is done before time
/// goes on.
class PacedLoop final : public EventLoop {
 public:
  /// Calls `then`, later, on the loop below, once all that was to be done now is done.
  using Settle = std::function<void(Task then)>;

  /// `under` outlives this. Time begins with what `under` shows now.
  explicit PacedLoop(EventLoop& under);

  [[nodiscard]] Instant now() const override;
  void post(Task task) override { under_.post(std::move(task)); }
  [[nodiscard]] bool is_turn_long() const override { return under_.is_turn_long(); }
  [[nodiscard]] std::unique_ptr<Timer> after(Duration delay, Task task) override;

  /// A loop whose tasks run on `other`, another thread's, and whose time is this one's: it goes, stands still and is
  /// stepped with it. Both outlive it; it is used by that thread only.
  [[nodiscard]] std::unique_ptr<EventLoop> lane(EventLoop& other);

  static constexpr double kFastest = 1'000'000;
  /// Seconds that pass in one of the loop below, from now on; 0 pauses. REQUIRES: 0 <= speed <= kFastest.
  void set_speed(double speed);
  [[nodiscard]] double speed() const { return speed_; }

  /// Moves on by `span` while paused, as fast as the work allows, and calls `done` (may be empty) at its end. Another
  /// step meanwhile adds to it.
  void step(Duration span, Task done = {});
  /// How a step finds out that a moment is over. Without: after everything that was posted in it at first.
  void settle_with(Settle settle) { settle_ = std::move(settle); }

 private:
  class Lane;
  class Wait;

  /// Nanoseconds of ours since the start. REQUIRES: mutex_ is held, or this is the thread that sets the pace.
  [[nodiscard]] std::int64_t elapsed() const;
  [[nodiscard]] std::int64_t below() const { return under_.now().nanoseconds; }
  /// Time goes on from `elapsed`, at that speed.
  void set_time(std::int64_t elapsed, double speed);
  /// Runs `task` on `lane` (null: here). Says whether it is due before all others, so that arm() has to know.
  [[nodiscard]] std::unique_ptr<Timer> add(Duration delay, Task task, EventLoop* lane, bool& is_first);
  [[nodiscard]] std::optional<std::int64_t> next_due();
  [[nodiscard]] std::optional<Task> take(std::int64_t due);
  void arm();
  void run_due();
  void walk();
  void post_here(void (PacedLoop::*turn)());

  EventLoop& under_;
  Instant start_;

  // Written by the thread of the loop below, with the mutex; lanes look at them with it.
  mutable std::mutex mutex_;
  double speed_ = 1;
  std::int64_t anchor_ = 0;        // ours, when the pace last changed
  std::int64_t anchor_below_ = 0;  // the other's then
  std::int64_t armed_for_;         // a task that is due later need not be told to arm()
  TimerQueue timers_;              // changed by all threads, with the mutex

  std::unique_ptr<Timer> timer_;  // of the loop below, for the first of timers_
  bool is_posted_ = false;        // run_due() is, instead
  std::int64_t step_end_ = 0;     // of a step under way
  bool is_stepping_ = false;
  Task step_done_;
  Settle settle_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // posted tasks look at it
};

}  // namespace loadline

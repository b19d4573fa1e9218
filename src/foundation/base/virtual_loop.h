#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "foundation/base/event_loop.h"
#include "foundation/base/time.h"
#include "foundation/base/timer_queue.h"

namespace loadline {

/// An event loop in virtual time: nothing waits, and the same calls run the same tasks in the same order. For tests and
/// simulation.
class VirtualLoop final : public EventLoop {
 public:
  /// `start` is what the wall's clock shows at first.
  explicit VirtualLoop(Instant start = {}) : start_(start) {}

  [[nodiscard]] Instant now() const override { return start_ + Duration{elapsed_ + wall_offset_.nanoseconds}; }
  void post(Task task) override;
  [[nodiscard]] std::unique_ptr<Timer> after(Duration delay, Task task) override;

  /// Runs all that is posted, what it posts in turn, and timers that are due; time stands still.
  void run_until_idle();

  /// Moves time on by `span`, running each task at its time.
  void advance(Duration span);

  /// Makes the wall's clock wrong by `offset`, as an administrator or a leap would: what waits is not disturbed.
  void set_wall_offset(Duration offset) { wall_offset_ = offset; }

  /// Virtual time since the beginning, which no jump of the wall's clock disturbs.
  [[nodiscard]] Duration elapsed() const { return {elapsed_}; }

 private:
  [[nodiscard]] bool run_one_posted();

  Instant start_;
  Duration wall_offset_;
  std::int64_t elapsed_ = 0;
  std::mutex mutex_;  // guards posted_
  std::deque<Task> posted_;
  TimerQueue timers_;
};

}  // namespace loadline

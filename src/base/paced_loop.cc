#include "base/paced_loop.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace loadline {
namespace {

/// A loop below that is asked for longer than this is asked again: a pause is no reason to compute with infinities.
constexpr std::int64_t kLongestWait = std::int64_t{24} * 60 * 60 * 1'000'000'000;

}  // namespace

PacedLoop::PacedLoop(EventLoop& under) : under_(under), start_(under.now()), anchor_below_(below()) {}

std::int64_t PacedLoop::elapsed() const {
  if (speed_ == 0) return anchor_;
  // The wall's clock may jump backwards; ours does not.
  const std::int64_t passed = std::max<std::int64_t>(below() - anchor_below_, 0);
  if (speed_ == 1) return anchor_ + passed;
  return anchor_ + static_cast<std::int64_t>(static_cast<double>(passed) * speed_);
}

std::unique_ptr<EventLoop::Timer> PacedLoop::after(Duration delay, Task task) {
  std::unique_ptr<Timer> timer = timers_.add(elapsed() + std::max<std::int64_t>(delay.nanoseconds, 0), std::move(task));
  arm();
  return timer;
}

void PacedLoop::set_speed(double speed) {
  anchor_ = elapsed();
  anchor_below_ = below();
  speed_ = speed;
  arm();
}

/// Asks the loop below for a call when the first task is due.
void PacedLoop::arm() {
  const std::optional<std::int64_t> due = timers_.next_due();
  if (!due || speed_ == 0) {
    timer_.reset();
    return;
  }
  const double wait = static_cast<double>(*due - elapsed()) / speed_;
  const auto nanoseconds =
      static_cast<std::int64_t>(std::clamp(std::ceil(wait), 0.0, static_cast<double>(kLongestWait)));
  timer_ = under_.after({nanoseconds}, [this] { run_due(); });
}

/// One task at a time, so that what it posts comes before the next one.
void PacedLoop::run_due() {
  const std::optional<Task> task = timers_.take(elapsed());
  arm();
  if (task) (*task)();
}

void PacedLoop::step(Duration span, Task done) {
  step_end_ = (is_stepping_ ? step_end_ : elapsed()) + std::max<std::int64_t>(span.nanoseconds, 0);
  step_done_ = std::move(done);
  if (std::exchange(is_stepping_, true)) return;
  under_.post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) walk();
  });
}

/// Runs what is due next, then comes again after all that it posted; at the end time is where the step was to lead.
void PacedLoop::walk() {
  const std::optional<std::int64_t> due = timers_.next_due();
  if (!due || *due > step_end_) {
    anchor_ = std::max(step_end_, elapsed());
    anchor_below_ = below();
    is_stepping_ = false;
    arm();
    if (const Task done = std::exchange(step_done_, {})) done();
    return;
  }
  anchor_ = std::max(*due, elapsed());
  anchor_below_ = below();
  if (const std::optional<Task> task = timers_.take(anchor_)) (*task)();
  under_.post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) walk();
  });
}

}  // namespace loadline

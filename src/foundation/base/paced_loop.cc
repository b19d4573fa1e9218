#include "foundation/base/paced_loop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "foundation/base/contract.h"

namespace loadline {
namespace {

/// A loop below that is asked for longer than this is asked again: a pause is no reason to compute with infinities.
constexpr std::int64_t kLongestWait = std::int64_t{24} * 60 * 60 * 1'000'000'000;

constexpr std::int64_t kUnarmed = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kNeverArmed = std::numeric_limits<std::int64_t>::min();

}  // namespace

/// A task that waits. The queue only refers to it, so that taking it out there destroys nothing of its owner's.
class PacedLoop::Wait final : public EventLoop::Timer {
 public:
  Wait(std::mutex& mutex, Task task) : mutex_(mutex), task_(std::make_shared<const Task>(std::move(task))) {}
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;
  ~Wait() override {
    const std::scoped_lock lock(mutex_);
    queued_.reset();
  }

  /// What the queue runs: the task itself, on its own thread; unless it was taken back there.
  [[nodiscard]] Task call(EventLoop* lane) const {
    Task run = [weak = std::weak_ptr<const Task>(task_)] {
      if (const std::shared_ptr<const Task> task = weak.lock()) (*task)();
    };
    if (lane == nullptr) return run;
    return [lane, run = std::move(run)] { lane->post(run); };
  }
  void queued(std::unique_ptr<Timer> queued) { queued_ = std::move(queued); }

 private:
  std::mutex& mutex_;
  std::shared_ptr<const Task> task_;
  std::unique_ptr<Timer> queued_;
};

class PacedLoop::Lane final : public EventLoop {
 public:
  Lane(PacedLoop& clock, EventLoop& other) : clock_(clock), other_(other) {}

  [[nodiscard]] Instant now() const override { return clock_.now(); }
  void post(Task task) override { other_.post(std::move(task)); }
  [[nodiscard]] bool is_turn_long() const override { return other_.is_turn_long(); }
  [[nodiscard]] std::unique_ptr<Timer> after(Duration delay, Task task) override {
    bool is_first = false;
    std::unique_ptr<Timer> timer = clock_.add(delay, std::move(task), &other_, is_first);
    if (is_first) clock_.post_here(&PacedLoop::arm);
    return timer;
  }

 private:
  PacedLoop& clock_;
  EventLoop& other_;
};

PacedLoop::PacedLoop(EventLoop& under)
    : under_(under), start_(under.now()), anchor_below_(below()), armed_for_(kUnarmed) {}

Instant PacedLoop::now() const {
  const std::scoped_lock lock(mutex_);
  return {start_.nanoseconds + elapsed()};
}

std::int64_t PacedLoop::elapsed() const {
  if (speed_ == 0) return anchor_;
  // The wall's clock may jump backwards; ours does not.
  const std::int64_t passed = std::max<std::int64_t>(below() - anchor_below_, 0);
  if (speed_ == 1) return anchor_ + passed;
  return anchor_ + static_cast<std::int64_t>(static_cast<double>(passed) * speed_);
}

void PacedLoop::set_time(std::int64_t elapsed, double speed) {
  const std::scoped_lock lock(mutex_);
  anchor_ = elapsed;
  anchor_below_ = below();
  speed_ = speed;
}

std::unique_ptr<EventLoop> PacedLoop::lane(EventLoop& other) { return std::make_unique<Lane>(*this, other); }

std::unique_ptr<EventLoop::Timer> PacedLoop::add(Duration delay, Task task, EventLoop* lane, bool& is_first) {
  auto wait = std::make_unique<Wait>(mutex_, std::move(task));
  Task call = wait->call(lane);
  const std::scoped_lock lock(mutex_);
  const std::int64_t due = elapsed() + std::max<std::int64_t>(delay.nanoseconds, 0);
  wait->queued(timers_.add(due, std::move(call)));
  is_first = due < armed_for_;
  return wait;
}

std::unique_ptr<EventLoop::Timer> PacedLoop::after(Duration delay, Task task) {
  bool is_first = false;
  std::unique_ptr<Timer> timer = add(delay, std::move(task), nullptr, is_first);
  if (is_first) arm();
  return timer;
}

std::optional<std::int64_t> PacedLoop::next_due() {
  const std::scoped_lock lock(mutex_);
  return timers_.next_due();
}

std::optional<EventLoop::Task> PacedLoop::take(std::int64_t due) {
  const std::scoped_lock lock(mutex_);
  return timers_.take(due);
}

void PacedLoop::set_speed(double speed) {
  REQUIRES(speed >= 0 && speed <= kFastest);
  set_time(elapsed(), speed);
  arm();
}

/// Asks the loop below for a call when the first task is due.
void PacedLoop::arm() {
  const std::scoped_lock lock(mutex_);
  timer_.reset();
  armed_for_ = speed_ == 0 ? kNeverArmed : kUnarmed;
  const std::optional<std::int64_t> due = timers_.next_due();
  if (!due || speed_ == 0) return;
  armed_for_ = *due;
  if (is_posted_) return;  // it arms anew
  const double wait = static_cast<double>(*due - elapsed()) / speed_;
  if (wait <= 0) {
    // It only has to come after what is posted: an alarm would cost a system call.
    is_posted_ = true;
    return post_here(&PacedLoop::run_due);
  }
  const auto nanoseconds =
      static_cast<std::int64_t>(std::clamp(std::ceil(wait), 0.0, static_cast<double>(kLongestWait)));
  timer_ = under_.after({nanoseconds}, [this] { run_due(); });
}

/// One task at a time, so that what it posts comes before the next one.
void PacedLoop::run_due() {
  is_posted_ = false;
  if (speed_ == 0) return;                  // it was stopped since this was posted
  const std::weak_ptr<int> alive = alive_;  // the task may end this loop
  if (const std::optional<Task> task = take(elapsed())) (*task)();
  if (!alive.expired()) arm();
}

void PacedLoop::step(Duration span, Task done) {
  step_end_ = (is_stepping_ ? step_end_ : elapsed()) + std::max<std::int64_t>(span.nanoseconds, 0);
  step_done_ = std::move(done);
  if (!std::exchange(is_stepping_, true)) post_here(&PacedLoop::walk);
}

/// Runs all that is due next, then comes again after what that led to; at the end time is where the step was to lead.
void PacedLoop::walk() {
  const std::optional<std::int64_t> due = next_due();
  if (!due || *due > step_end_) {
    set_time(std::max(step_end_, elapsed()), speed_);
    is_stepping_ = false;
    arm();
    if (const Task done = std::exchange(step_done_, {})) done();
    return;
  }
  set_time(std::max(*due, elapsed()), speed_);
  if (const std::optional<Task> task = take(elapsed())) (*task)();
  if (next_due() == due || !settle_) return post_here(&PacedLoop::walk);
  settle_([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) walk();
  });
}

void PacedLoop::post_here(void (PacedLoop::*turn)()) {
  under_.post([this, turn, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) (this->*turn)();
  });
}

}  // namespace loadline

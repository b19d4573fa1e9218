#include "foundation/base/virtual_loop.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace loadline {

void VirtualLoop::post(Task task) {
  const std::lock_guard lock(mutex_);
  posted_.push_back(std::move(task));
}

std::unique_ptr<EventLoop::Timer> VirtualLoop::after(Duration delay, Task task) {
  return timers_.add(elapsed_ + std::max<std::int64_t>(delay.nanoseconds, 0), std::move(task));
}

bool VirtualLoop::run_one_posted() {
  Task task;
  {
    const std::lock_guard lock(mutex_);
    if (posted_.empty()) return false;
    task = std::move(posted_.front());
    posted_.pop_front();
  }
  task();
  return true;
}

void VirtualLoop::run_until_idle() {
  while (true) {
    if (run_one_posted()) continue;
    const std::optional<Task> task = timers_.take(elapsed_);
    if (!task) return;
    (*task)();
  }
}

void VirtualLoop::advance(Duration span) {
  const std::int64_t end = elapsed_ + span.nanoseconds;
  run_until_idle();
  for (std::optional<std::int64_t> due = timers_.next_due(); due && *due <= end; due = timers_.next_due()) {
    elapsed_ = *due;
    run_until_idle();
  }
  elapsed_ = end;
}

}  // namespace loadline

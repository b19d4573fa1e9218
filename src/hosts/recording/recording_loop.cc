#include "hosts/recording/recording_loop.h"

#include <utility>

namespace loadline::recording {

void RecordingLoop::post(Task task) { inner_.post(recorded(std::move(task))); }

std::unique_ptr<EventLoop::Timer> RecordingLoop::after(Duration delay, Task task) {
  return inner_.after(delay, recorded(std::move(task)));
}

EventLoop::Task RecordingLoop::recorded(Task task) {
  journal_.heed();
  return [this, number = ++last_, task = std::move(task), alive = std::weak_ptr<int>(alive_)] {
    if (alive.expired()) return;
    journal_.begin(journal_.input().number("ran", number));
    task();
  };
}

}  // namespace loadline::recording

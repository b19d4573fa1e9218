#include "foundation/base/mailbox.h"

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace loadline {
namespace {

constexpr std::size_t kAtOnce = 64;  // then others have their turn

}  // namespace

struct Mailbox::State {
  explicit State(EventLoop& loop) : to(loop) {}

  /// The next task, or nothing; then `is_posted_run`, which ends with that, will have to be posted anew.
  std::optional<EventLoop::Task> next(bool is_posted_run) {
    if (reading.empty()) {
      const std::scoped_lock lock(mutex);
      reading.swap(coming);
      if (reading.empty()) {
        if (is_posted_run) is_posted = false;
        return std::nullopt;
      }
    }
    EventLoop::Task task = std::move(reading.front());
    reading.pop_front();
    return task;
  }

  EventLoop& to;
  Recipient recipient;
  std::deque<EventLoop::Task> reading;  // of the loop's thread: taken over, not run yet

  std::mutex mutex;
  std::deque<EventLoop::Task> coming;
  bool is_posted = false;
  std::uint64_t posted = 0;
};

Mailbox::Mailbox(EventLoop& to) : state_(std::make_shared<State>(to)) {}

void Mailbox::wait_for(Recipient recipient) { state_->recipient = std::move(recipient); }

void Mailbox::post(EventLoop::Task task) {
  {
    const std::scoped_lock lock(state_->mutex);
    ++state_->posted;
    state_->coming.push_back(std::move(task));
    if (std::exchange(state_->is_posted, true)) return;
  }
  post_run(state_);
}

std::uint64_t Mailbox::posted() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->posted;
}

void Mailbox::post_run(const std::shared_ptr<State>& state) {
  state->to.post([weak = std::weak_ptr<State>(state)] {
    if (const std::shared_ptr<State> kept = weak.lock()) run_some(kept);
  });
}

void Mailbox::run_some(const std::shared_ptr<State>& state) {
  const auto go_on = [weak = std::weak_ptr<State>(state)] {
    if (const std::shared_ptr<State> kept = weak.lock()) post_run(kept);
  };
  for (std::size_t i = 0; i < kAtOnce; ++i) {
    if (state->recipient.is_busy && state->recipient.is_busy()) return state->recipient.when_free(go_on);
    const std::optional<EventLoop::Task> task = state->next(true);
    if (!task) return;
    try {
      (*task)();
    } catch (...) {
      post_run(state);  // the loop may go on, and so do the other tasks
      throw;
    }
    if (state->to.is_turn_long()) break;
  }
  post_run(state);
}

void Mailbox::drain() {
  const std::shared_ptr<State> state = state_;
  while (const std::optional<EventLoop::Task> task = state->next(false)) (*task)();
}

}  // namespace loadline

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "foundation/base/event_loop.h"

namespace loadline::store {

/// An event loop that runs when a test says so, in virtual time. Other threads may post.
class ManualLoop final : public EventLoop {
 public:
  [[nodiscard]] Instant now() const override { return Instant{time_}; }

  void post(Task task) override {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    posted_.notify_one();
  }

  [[nodiscard]] std::unique_ptr<Timer> after(Duration delay, Task task) override {
    const auto place = std::make_pair(time_ + delay.nanoseconds, next_timer_++);
    timers_->emplace(place, std::move(task));
    return std::make_unique<Waiting>(timers_, place);
  }

  /// Runs one task; says whether there was one.
  bool run_one() {
    Task task;
    {
      const std::lock_guard lock(mutex_);
      if (tasks_.empty()) return false;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
    return true;
  }

  /// Runs what is queued, and what that queues.
  void run() {
    while (run_one()) continue;
  }

  /// Runs, and waits for other threads' tasks, until `done()`; at most some seconds.
  template <class Done>
  bool run_until(Done&& done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!done()) {
      if (run_one()) continue;
      std::unique_lock lock(mutex_);
      if (!posted_.wait_until(lock, deadline, [&] { return !tasks_.empty(); })) return false;
    }
    return true;
  }

  /// Lets time pass, and runs what falls due.
  void pass(Duration span) {
    const std::int64_t end = time_ + span.nanoseconds;
    run();
    while (!timers_->empty() && timers_->begin()->first.first <= end) {
      time_ = timers_->begin()->first.first;
      const Task task = std::move(timers_->begin()->second);
      timers_->erase(timers_->begin());
      task();
      run();
    }
    time_ = end;
  }

  [[nodiscard]] std::size_t timers() const { return timers_->size(); }

 private:
  using Place = std::pair<std::int64_t, std::uint64_t>;
  using Timers = std::map<Place, Task>;

  class Waiting final : public Timer {
   public:
    Waiting(std::weak_ptr<Timers> timers, Place place) : timers_(std::move(timers)), place_(place) {}
    ~Waiting() override {
      if (const auto timers = timers_.lock()) timers->erase(place_);
    }

   private:
    std::weak_ptr<Timers> timers_;
    Place place_;
  };

  std::int64_t time_ = 0;
  std::uint64_t next_timer_ = 0;
  std::shared_ptr<Timers> timers_ = std::make_shared<Timers>();
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<Task> tasks_;
};

}  // namespace loadline::store

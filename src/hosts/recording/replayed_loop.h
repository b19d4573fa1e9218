#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "foundation/base/event_loop.h"

namespace loadline::recording {

/// A loop of which a recording says when each task runs. Tasks are numbered in the order in which they come, from 1 on.
class ReplayedLoop final : public EventLoop {
 public:
  [[nodiscard]] Instant now() const override { return now_; }
  void set_now(Instant now) { now_ = now; }

  void post(Task task) override { tasks_->insert_or_assign(++last_, std::move(task)); }
  [[nodiscard]] std::unique_ptr<Timer> after(Duration /*delay*/, Task task) override {
    post(std::move(task));
    return std::make_unique<Waiting>(tasks_, last_);
  }

  /// False: there is no such task, or it was taken back, or has run.
  [[nodiscard]] bool run(std::uint64_t number) {
    const auto found = tasks_->extract(number);
    if (found.empty()) return false;
    found.mapped()();
    return true;
  }

 private:
  using Tasks = std::map<std::uint64_t, Task>;

  class Waiting final : public Timer {
   public:
    Waiting(const std::shared_ptr<Tasks>& tasks, std::uint64_t number) : tasks_(tasks), number_(number) {}
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() override {
      if (const std::shared_ptr<Tasks> tasks = tasks_.lock()) tasks->erase(number_);
    }

   private:
    std::weak_ptr<Tasks> tasks_;
    std::uint64_t number_;
  };

  Instant now_;
  std::uint64_t last_ = 0;
  std::shared_ptr<Tasks> tasks_ = std::make_shared<Tasks>();
};

}  // namespace loadline::recording

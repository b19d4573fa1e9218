#pragma once

#include <thread>

#include "server/net/loop.h"

namespace loadline::net {

/// A loop that runs on a thread of its own, from the beginning of this object's life until its end. What is posted by
/// then and has not run is destroyed.
class LoopThread {
 public:
  LoopThread() : thread_([this] { loop_.run(); }) {}
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;
  ~LoopThread() {
    // As a task: a loop that has not begun to run yet would begin after all.
    loop_.post([this] { loop_.stop(); });
    thread_.join();
  }

  [[nodiscard]] Loop& loop() { return loop_; }

 private:
  Loop loop_;
  std::thread thread_;
};

}  // namespace loadline::net

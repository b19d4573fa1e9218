#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "foundation/base/event_loop.h"

namespace loadline::apiserver {

/// Work that takes long, in turns: one task at a time, and between two of them the loop does what else there is to do.
/// Users take turns, whoever has most to be done; of one user's tasks the first that came goes first.
class Turns {
 public:
  /// `loop` outlives it.
  explicit Turns(EventLoop& loop) : loop_(loop) {}
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  void add(const std::string& user, EventLoop::Task task);

 private:
  void post();
  void run_one();

  EventLoop& loop_;
  std::map<std::string, std::deque<EventLoop::Task>> waiting_;  // by user; none is empty
  std::string last_;                                            // whose turn it was
  bool is_posted_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // posted tasks look at it
};

}  // namespace loadline::apiserver

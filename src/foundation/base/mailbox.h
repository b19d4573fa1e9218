#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "foundation/base/event_loop.h"

namespace loadline {

/// Tasks for a loop from another thread, in order. However many come while the loop is busy, it is posted to once, and
/// runs some before others have their turn: fewer where they take long.
class Mailbox {
 public:
  /// `to` outlives it.
  explicit Mailbox(EventLoop& to);
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  /// What has not run by then is destroyed with it, on the thread that does that.
  ~Mailbox() = default;

  /// Tasks, but for those of drain(), wait as long as whoever they are for is busy.
  struct Recipient {
    std::function<bool()> is_busy;                         ///< asked before each task
    std::function<void(EventLoop::Task go_on)> when_free;  ///< calls `go_on` once it is not
  };
  /// To be called before the first task is posted.
  void wait_for(Recipient recipient);

  /// From any thread.
  void post(EventLoop::Task task);
  /// How many were posted ever.
  [[nodiscard]] std::uint64_t posted() const;
  /// Runs all that is there now. On the loop's thread, or while that does nothing.
  void drain();

 private:
  struct State;
  static void post_run(const std::shared_ptr<State>& state);
  static void run_some(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;
};

}  // namespace loadline

#pragma once

#include <functional>
#include <memory>

#include "foundation/base/time.h"

namespace loadline {

/// Where a host's work runs, one task after the other, and where its time comes from. Servers, stores and controllers
/// are written against it, so that the same code runs on sockets and the wall's clock, and on nothing but memory and
/// virtual time.
class EventLoop {
 public:
  using Task = std::function<void()>;

  /// A task that waits for its time. Destroying it takes the task back; it may be destroyed after it ran.
  class Timer {
   public:
    virtual ~Timer() = default;
  };

  EventLoop() = default;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  virtual ~EventLoop() = default;

  /// The wall's clock: it may jump. For what is written down, never for waiting.
  [[nodiscard]] virtual Instant now() const = 0;

  /// Runs `task` after everything that is queued already. The only member that other threads may call.
  virtual void post(Task task) = 0;

  /// Whether the posted task that runs has gone on for so long that others should have their turn: one that does many
  /// things then posts itself for the rest. Always false where time does not pass by itself.
  [[nodiscard]] virtual bool is_turn_long() const { return false; }

  /// Runs `task` once `delay` has passed, by a clock that does not jump; tasks of one time run in the order of these
  /// calls.
  [[nodiscard]] virtual std::unique_ptr<Timer> after(Duration delay, Task task) = 0;
};

}  // namespace loadline

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "foundation/base/event_loop.h"

namespace loadline {

/// The tasks of an event loop that wait for their time, by a clock of the loop's own: nanoseconds since whenever.
/// Tasks of one time leave in the order in which they came. Adding, taking and taking back cost O(log waiting).
class TimerQueue {
 public:
  /// Puts `task` in line for `due`. The handle takes it back when destroyed; it may outlive the queue.
  [[nodiscard]] std::unique_ptr<EventLoop::Timer> add(std::int64_t due, EventLoop::Task task);

  /// When the first task is due, or nothing.
  [[nodiscard]] std::optional<std::int64_t> next_due() const;

  /// Takes out the first task that is due at `now` or before, or nothing.
  [[nodiscard]] std::optional<EventLoop::Task> take(std::int64_t now);

 private:
  using Key = std::pair<std::int64_t, std::uint64_t>;  // due, order of arrival
  using Waiting = std::map<Key, EventLoop::Task>;
  class Handle;

  std::shared_ptr<Waiting> waiting_ = std::make_shared<Waiting>();
  std::uint64_t added_ = 0;
};

}  // namespace loadline

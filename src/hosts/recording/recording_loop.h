#pragma once

#include <cstdint>
#include <memory>

#include "foundation/base/event_loop.h"
#include "hosts/recording/journal.h"

namespace loadline::recording {

/// A loop that numbers the tasks that it is given, from 1 on, timers among them, and writes down when each runs. Tasks
/// that have not run when it is destroyed do not run any more.
class RecordingLoop final : public EventLoop {
 public:
  /// Both outlive it.
  RecordingLoop(EventLoop& inner, Journal& journal) : inner_(inner), journal_(journal) {}

  [[nodiscard]] Instant now() const override { return journal_.now(); }
  void post(Task task) override;
  [[nodiscard]] std::unique_ptr<Timer> after(Duration delay, Task task) override;

 private:
  Task recorded(Task task);

  EventLoop& inner_;
  Journal& journal_;
  std::uint64_t last_ = 0;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // tasks look at it
};

}  // namespace loadline::recording

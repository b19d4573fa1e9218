#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "foundation/base/event_loop.h"

namespace boost::asio {
class io_context;
}

namespace loadline::net {

/// The event loop of a process that serves: sockets, the wall's clock, one thread.
class Loop final : public EventLoop {
 public:
  Loop();
  ~Loop() override;

  /// Runs tasks until stop(); the thread that calls it is the loop's. May be called again afterwards.
  void run();

  /// Makes run() return soon: what is queued stays queued. Any thread may call it.
  void stop();
  /// From now on a task that throws is given up, and `tell` says why; the others go on. Without this, as at first, the
  /// process ends. On the loop's thread.
  void survive(std::function<void(std::string_view why)> tell);

  [[nodiscard]] Instant now() const override;
  void post(Task task) override;
  [[nodiscard]] bool is_turn_long() const override;
  [[nodiscard]] std::unique_ptr<Timer> after(Duration delay, Task task) override;

  /// For the sockets of this folder.
  [[nodiscard]] boost::asio::io_context& context();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace loadline::net

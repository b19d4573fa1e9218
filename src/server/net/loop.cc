#include "server/net/loop.h"

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include "foundation/base/timer_queue.h"

namespace loadline::net {
namespace {

// Most tasks take microseconds; some, with objects of a megabyte, tens of milliseconds. The batches of everyday ones,
// 64 at a time, are to stay whole: each break costs a commit of its own and wakes other threads.
constexpr std::int64_t kLongTurn = 10'000'000;  // nanoseconds

std::int64_t steady_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

/// One alarm of the operating system stands for all timers: it is set to the first of them.
class Loop::State {
 public:
  void wake_for_timers() {
    const std::optional<std::int64_t> due = timers.next_due();
    if (!due || (alarm_set_for && *alarm_set_for <= *due)) return;
    alarm_set_for = due;
    alarm.expires_at(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(*due)));
    alarm.async_wait([this](const boost::system::error_code& error) {
      if (!error) run_timers();
    });
  }

  void run_timers() {
    alarm_set_for.reset();
    // A task that keeps making due timers must not starve the sockets, so only what is due now runs now.
    const std::int64_t now = steady_nanoseconds();
    while (std::optional<Task> task = timers.take(now)) (*task)();
    wake_for_timers();
  }

  /// False: a task has thrown, and was given up.
  bool run_until_stopped() {
    try {
      context.run();
      return true;
    } catch (const std::exception& error) {
      if (!when_thrown) throw;
      when_thrown(error.what());
    }
    wake_for_timers();
    return false;
  }

  boost::asio::io_context context{1};
  boost::asio::steady_timer alarm{context};
  std::optional<std::int64_t> alarm_set_for;
  TimerQueue timers;
  std::int64_t turn_began = 0;
  std::function<void(std::string_view why)> when_thrown;  // empty: the process ends
};

Loop::Loop() : state_(std::make_unique<State>()) {
  // OpenSSL writes to sockets whose other end may be gone: that is an error to look at, not a reason to die.
  std::signal(SIGPIPE, SIG_IGN);
}

Loop::~Loop() = default;

void Loop::run() {
  const auto work = boost::asio::make_work_guard(state_->context);
  state_->context.restart();
  while (!state_->run_until_stopped()) {
  }
}

void Loop::survive(std::function<void(std::string_view why)> tell) { state_->when_thrown = std::move(tell); }

void Loop::stop() { state_->context.stop(); }

Instant Loop::now() const {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
              .count()};
}

void Loop::post(Task task) {
  boost::asio::post(state_->context, [state = state_.get(), task = std::move(task)] {
    state->turn_began = steady_nanoseconds();
    task();
  });
}

bool Loop::is_turn_long() const { return steady_nanoseconds() - state_->turn_began >= kLongTurn; }

std::unique_ptr<EventLoop::Timer> Loop::after(Duration delay, Task task) {
  auto timer = state_->timers.add(steady_nanoseconds() + std::max<std::int64_t>(delay.nanoseconds, 0), std::move(task));
  state_->wake_for_timers();
  return timer;
}

boost::asio::io_context& Loop::context() { return state_->context; }

}  // namespace loadline::net

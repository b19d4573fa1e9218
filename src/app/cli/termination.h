#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <thread>

namespace loadline::cli {

/// Waits for a signal to end the process: Ctrl-C (SIGINT) or SIGTERM. Make it before any other thread, so that all of
/// them leave the signals to it.
class Termination {
 public:
  Termination();
  ~Termination();
  Termination(const Termination&) = delete;
  Termination& operator=(const Termination&) = delete;

  /// Calls back, from a thread of its own, at the first signal. The second one ends the process at once; but one of the
  /// other kind that comes within a second is the same wish, from two sides: a terminal's and a supervisor's. The
  /// process is ended, too, with a word about it, where it has not ended by itself within kLongestEnd.
  void when_asked(std::function<void()> asked);
  /// Does what must not be cut off half-way, such as rewriting a user's file: a signal that ends the process waits for
  /// it, at most kLongestWork. Of any thread.
  void finish_first(const std::function<void()>& work);

  /// Ends the process now, but for what must not be cut off half-way: no destructor runs.
  [[noreturn]] void end_now(int status);

  static constexpr std::chrono::seconds kLongestWork{5};
  static constexpr std::chrono::seconds kLongestEnd{15};

 private:
  std::timed_mutex work_;
  std::thread thread_;
};

}  // namespace loadline::cli

#pragma once

#include <functional>
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

  /// Calls back, from a thread of its own, at the first signal. The second one ends the process at once.
  void when_asked(std::function<void()> asked);

 private:
  std::thread thread_;
};

}  // namespace loadline::cli

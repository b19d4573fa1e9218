#pragma once

#include <chrono>

namespace loadline::observe {

/// How long something took, by a clock that does not jump. For figures only: nothing may be decided by it.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace loadline::observe

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

namespace loadline::bench {

/// How often something is measured: at least `fewest` times, and until all of them together took `enough`.
struct Repetitions {
  std::size_t fewest = 1;
  std::chrono::duration<double> enough{0};
};

/// The seconds that `work` took, each time. It is to be work of milliseconds that calls into other files: nothing keeps
/// the compiler from leaving out what it sees to be without effect.
std::vector<double> seconds_of(const Repetitions& repetitions, const std::function<void()>& work);

}  // namespace loadline::bench

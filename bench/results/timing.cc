#include "bench/results/timing.h"

namespace loadline::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_of_one(const std::function<void()>& work) {
  const Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

std::vector<double> seconds_of(const Repetitions& repetitions, const std::function<void()>& work) {
  std::vector<double> times;
  double in_all = 0;
  while (times.size() < repetitions.fewest || in_all < repetitions.enough.count()) {
    times.push_back(seconds_of_one(work));
    in_all += times.back();
  }
  return times;
}

}  // namespace loadline::bench

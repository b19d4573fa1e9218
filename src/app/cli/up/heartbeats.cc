#include "app/cli/up/heartbeats.h"

#include <algorithm>

namespace loadline::cli {
namespace {

constexpr double kKubeletsPace = 4;
constexpr std::int64_t kMostInAStep = 60;

}  // namespace

Duration lease_period(double speed, Duration step) {
  const double stretch = std::max(speed / kKubeletsPace, 1.0);
  const auto by_speed = static_cast<std::int64_t>(static_cast<double>(kLeasePeriod.nanoseconds) * stretch);
  return {std::max(by_speed, step.nanoseconds / kMostInAStep)};
}

}  // namespace loadline::cli

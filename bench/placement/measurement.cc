#include "bench/placement/measurement.h"

#include <algorithm>
#include <cmath>

namespace loadline::bench {

double Measurement::pods_per_second() const {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  return seconds > 0 ? static_cast<double>(placed) / seconds : 0;
}

std::optional<double> Measurement::percentile_us(double share) {
  if (decisions.empty()) return std::nullopt;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(decisions.size())));
  const auto at = decisions.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(decisions.begin(), at, decisions.end());
  return static_cast<double>(*at) / 1000;
}

}  // namespace loadline::bench

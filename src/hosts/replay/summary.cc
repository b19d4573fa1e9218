#include "hosts/replay/summary.h"

#include <algorithm>
#include <cmath>

namespace loadline::replay {
namespace {

/// REQUIRES: ascending, and not empty.
double percentile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

Distribution distribution_of(std::vector<double>& values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  double sum = 0;
  for (const double value : values) sum += value;
  return {values.size(),
          sum / static_cast<double>(values.size()),
          percentile(values, 0.5),
          percentile(values, 0.9),
          percentile(values, 0.99),
          values.back()};
}

}  // namespace loadline::replay

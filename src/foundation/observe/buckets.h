#pragma once

#include <vector>

namespace loadline::observe {

/// As Prometheus' own libraries make them: `count` buckets, the first up to `start`, each `factor` times the last.
[[nodiscard]] inline std::vector<double> exponential_buckets(double start, double factor, int count) {
  std::vector<double> buckets;
  for (int i = 0; i < count; ++i, start *= factor) buckets.push_back(start);
  return buckets;
}

}  // namespace loadline::observe

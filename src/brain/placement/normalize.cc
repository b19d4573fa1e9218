#include <algorithm>

#include "brain/placement/plugin.h"

namespace loadline::placement {

void normalize_by_maximum(std::span<std::int64_t> scores, bool reverse) {
  std::int64_t maximum = 0;
  for (const std::int64_t score : scores) maximum = std::max(maximum, score);
  if (maximum == 0) {
    if (reverse) std::fill(scores.begin(), scores.end(), kMaxNodeScore);
    return;
  }
  for (std::int64_t& score : scores) {
    score = kMaxNodeScore * score / maximum;
    if (reverse) score = kMaxNodeScore - score;
  }
}

}  // namespace loadline::placement

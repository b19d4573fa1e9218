#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace loadline::workloads {

/// Sums and products of what users write end here: more than anybody has room for, and far from an overflow.
inline constexpr std::int64_t kMostCounted = std::int64_t{1} << 62;

/// Of counts from 0 to kMostCounted.
[[nodiscard]] constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  return std::min(a, kMostCounted - b) + b;
}
[[nodiscard]] constexpr std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
  return b != 0 && a > kMostCounted / b ? kMostCounted : a * b;
}

/// As fields of objects hold counts.
[[nodiscard]] constexpr std::int32_t as_field(std::int64_t count) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(count, 0, std::numeric_limits<std::int32_t>::max()));
}

}  // namespace loadline::workloads

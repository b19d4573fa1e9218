#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>
#include <string_view>

#include "objects/kube/scalars.h"

namespace loadline::queue::kueue {

/// How much of a resource quota is about: thousandths of CPUs, whole units of everything else. The largest number
/// stands for "without a limit", which no sum with a finite amount leaves; other sums saturate. Negative: more is used
/// than there is. Source: Kueue v0.19.2, pkg/resources/amount.go.
class Amount {
 public:
  constexpr Amount() = default;
  constexpr explicit Amount(std::int64_t value) : value_(value) {}
  static constexpr Amount unlimited() { return Amount(std::numeric_limits<std::int64_t>::max()); }
  /// Of a quota: what does not fit into the number is unlimited.
  static Amount of(std::string_view resource, const kube::Quantity& quantity) {
    if (resource != "cpu") return Amount(quantity.value());
    const Amount milli(quantity.milli_value());
    return milli >= kMostCpus ? unlimited() : milli;
  }

  [[nodiscard]] constexpr std::int64_t value() const { return value_; }
  [[nodiscard]] constexpr bool is_unlimited() const { return *this == unlimited(); }

  friend constexpr auto operator<=>(const Amount&, const Amount&) = default;
  friend constexpr Amount operator+(Amount a, Amount b) {
    if (a.is_unlimited() || b.is_unlimited()) return unlimited();
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a.value_, b.value_, &sum)) return Amount(sum);
    return b.value_ > 0 ? unlimited() : least();
  }
  /// Of two that are unlimited: nothing. Taken from what has a limit, the unlimited leaves the least number.
  friend constexpr Amount operator-(Amount a, Amount b) {
    if (a.is_unlimited()) return b.is_unlimited() ? Amount() : a;
    if (b.is_unlimited()) return least();
    std::int64_t rest = 0;
    if (!__builtin_sub_overflow(a.value_, b.value_, &rest)) return Amount(rest);
    return b.value_ < 0 ? unlimited() : least();
  }

 private:
  static const Amount kMostCpus;  // from here on, upstream calls them unlimited
  static constexpr Amount least() { return Amount(std::numeric_limits<std::int64_t>::min()); }

  std::int64_t value_ = 0;
};

inline constexpr Amount Amount::kMostCpus = Amount(std::numeric_limits<std::int64_t>::max() / 1000 * 1000);

[[nodiscard]] constexpr Amount at_least_nothing(Amount amount) { return std::max(Amount(), amount); }

}  // namespace loadline::queue::kueue

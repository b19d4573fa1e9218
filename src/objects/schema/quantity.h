#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "foundation/base/result.h"

namespace loadline::schema {

/// An amount of a resource, exactly as apimachinery's resource.Quantity: fixed point, nano to exa.
/// Parsing rounds up to whole nanos and caps at ±(2^63 − 1); the family of suffixes a quantity was written in is kept
/// for printing, so `1024Mi` prints as `1Gi` and `1000M` as `1G`.
/// Source: k8s.io/apimachinery/pkg/api/resource, v1.36.
class Quantity {
 public:
  enum class Format : std::uint8_t { kDecimalSI, kBinarySI, kDecimalExponent };

  constexpr Quantity() = default;

  /// `whole` units, printed with decimal suffixes unless said otherwise.
  static Quantity of(std::int64_t whole, Format format = Format::kDecimalSI);
  static Quantity of_milli(std::int64_t milli, Format format = Format::kDecimalSI);

  /// Errors carry upstream's text ("quantities must match the regular expression ...").
  static Result<Quantity> parse(std::string_view text);

  /// Whole units, fractions rounded away from zero upward as upstream's Value() does; saturates at int64.
  [[nodiscard]] std::int64_t value() const;
  /// Thousandths, rounded up; saturates at int64.
  [[nodiscard]] std::int64_t milli_value() const;

  /// -1, 0 or 1.
  [[nodiscard]] int sign() const;
  [[nodiscard]] bool is_zero() const { return sign() == 0; }
  /// True if the amount is a whole number of units.
  [[nodiscard]] bool is_whole() const;
  /// True if the amount is a whole number of milli-units.
  [[nodiscard]] bool is_whole_milli() const;
  [[nodiscard]] double approximate() const;
  /// The nearest whole number of milli-units, away from zero: the API server's defaulting of every resource list.
  [[nodiscard]] Quantity rounded_to_milli() const;

  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
  [[nodiscard]] Quantity negated() const;
  /// Multiplied by a count (a quota's use of N equal objects); saturates.
  [[nodiscard]] Quantity times(std::int64_t count) const;

  [[nodiscard]] Format format() const { return format_; }
  /// Canonical form, for example "1500m", "2Gi", "12e6".
  [[nodiscard]] std::string to_string() const;

  /// By amount; the format does not matter.
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b);
  friend bool operator==(const Quantity& a, const Quantity& b);

 private:
  // Nano-units. Parsed amounts stay below 2^63 · 10^9 < 2^93, so sums of 2^33 of them cannot overflow.
  __extension__ __int128 nanos_ = 0;
  Format format_ = Format::kDecimalSI;
};

}  // namespace loadline::schema

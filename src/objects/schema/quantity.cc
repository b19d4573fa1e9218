#include "objects/schema/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>

namespace loadline::schema {
namespace {

__extension__ using Int128 = __int128;
__extension__ using UnsignedInt128 = unsigned __int128;

constexpr Int128 kNano = 1'000'000'000;
constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr Int128 kLargestNanos = Int128{kMaxInt64} * kNano;
constexpr Int128 kLargestInt128 = static_cast<Int128>(~UnsignedInt128{0} >> 1);

constexpr std::string_view kFormatWrong =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr std::string_view kSuffixWrong = "unable to parse quantity's suffix";

struct NamedExponent {
  std::string_view suffix;
  int exponent;
};

constexpr std::array<NamedExponent, 10> kDecimalSuffixes = {
    {{"n", -9}, {"u", -6}, {"m", -3}, {"", 0}, {"k", 3}, {"M", 6}, {"G", 9}, {"T", 12}, {"P", 15}, {"E", 18}}};
constexpr std::array<NamedExponent, 6> kBinarySuffixes = {
    {{"Ki", 10}, {"Mi", 20}, {"Gi", 30}, {"Ti", 40}, {"Pi", 50}, {"Ei", 60}}};

/// A quantity's text, cut at the places that upstream's scanner cuts it.
struct Pieces {
  bool negative = false;
  std::string_view whole;     // digits before the point, leading zeros dropped
  std::string_view fraction;  // digits after it
  std::string_view suffix;
};

struct Suffix {
  Quantity::Format format;
  std::int64_t exponent;  // of 10, or of 2 for kBinarySI
};

std::string_view take_while(std::string_view& rest, std::string_view accepted) {
  const std::size_t length = std::min(rest.find_first_not_of(accepted), rest.size());
  const std::string_view taken = rest.substr(0, length);
  rest.remove_prefix(length);
  return taken;
}

bool starts_with_sign(std::string_view text) { return !text.empty() && (text[0] == '-' || text[0] == '+'); }

std::optional<Pieces> split(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  Pieces pieces;
  std::string_view rest = text;
  if (starts_with_sign(rest)) {
    pieces.negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  take_while(rest, "0");
  pieces.whole = take_while(rest, kDigits);
  if (!rest.empty() && rest[0] == '.') {
    rest.remove_prefix(1);
    pieces.fraction = take_while(rest, kDigits);
  }
  pieces.suffix = rest;
  take_while(rest, "eEinumkKMGTP");
  if (starts_with_sign(rest)) rest.remove_prefix(1);
  take_while(rest, kDigits);
  if (!rest.empty()) return std::nullopt;
  return pieces;
}

std::optional<Suffix> interpret(std::string_view text) {
  for (const NamedExponent& named : kDecimalSuffixes) {
    if (named.suffix == text) return Suffix{Quantity::Format::kDecimalSI, named.exponent};
  }
  for (const NamedExponent& named : kBinarySuffixes) {
    if (named.suffix == text) return Suffix{Quantity::Format::kBinarySI, named.exponent};
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  text.remove_prefix(1);
  if (text[0] == '+') {
    text.remove_prefix(1);
    if (starts_with_sign(text)) return std::nullopt;
  }
  std::int64_t exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return Suffix{Quantity::Format::kDecimalExponent, exponent};
}

/// Digits times a power of two or ten, in nanos: rounded up, and capped.
class NanoReader {
 public:
  NanoReader(const Pieces& pieces, const Suffix& suffix) : pieces_(pieces), suffix_(suffix) {}

  [[nodiscard]] Int128 read() const {
    return suffix_.format == Quantity::Format::kBinarySI ? read_binary() : read_decimal();
  }

 private:
  [[nodiscard]] std::size_t digit_count() const { return pieces_.whole.size() + pieces_.fraction.size(); }
  [[nodiscard]] int digit(std::size_t index) const {
    const std::size_t split_at = pieces_.whole.size();
    return (index < split_at ? pieces_.whole[index] : pieces_.fraction[index - split_at]) - '0';
  }

  [[nodiscard]] Int128 read_decimal() const {
    // The digit before the point of a nano-unit is the last that counts; any other digit after it rounds up.
    // Exponents are clamped first: beyond ±10^6 and the length of the text, nothing but the cap can change.
    const auto length = static_cast<std::int64_t>(digit_count());
    const std::int64_t limit = length + 1'000'000;
    const std::int64_t exponent = std::clamp(suffix_.exponent, -limit, limit);
    const std::int64_t kept = static_cast<std::int64_t>(pieces_.whole.size()) + exponent + 9;
    Int128 nanos = 0;
    bool round_up = false;
    for (std::int64_t i = 0; i < length; ++i) {
      const int value = digit(static_cast<std::size_t>(i));
      if (i < kept) {
        nanos = nanos * 10 + value;
        if (nanos > kLargestNanos) return kLargestNanos;
      } else {
        round_up = round_up || value != 0;
      }
    }
    for (std::int64_t i = length; i < kept && nanos != 0; ++i) {
      nanos *= 10;
      if (nanos > kLargestNanos) return kLargestNanos;
    }
    return std::min(nanos + (round_up ? 1 : 0), kLargestNanos);
  }

  [[nodiscard]] Int128 read_binary() const {
    // 2^60 times the whole part is exact until it passes the cap. The fraction is divided out digit by digit, last
    // digit first, which keeps 9 decimals and remembers whether anything was cut.
    Int128 whole = 0;
    for (const char c : pieces_.whole) {
      whole = whole * 10 + (c - '0');
      if (whole > kMaxInt64) return kLargestNanos;
    }
    const Int128 unit = Int128{1} << suffix_.exponent;
    const Int128 whole_units = whole * unit;
    if (whole_units >= kMaxInt64) return kLargestNanos;

    // floor(0.d1d2... · unit · 10^9) by long multiplication needs unit · 10^9 < 2^90, times 10 per step: fits.
    const Int128 scaled_unit = unit * kNano;
    Int128 fraction = 0;  // in nanos, of the digits still to come divided by ten each step
    bool cut = false;
    for (std::size_t i = pieces_.fraction.size(); i-- > 0;) {
      const Int128 sum = (pieces_.fraction[i] - '0') * scaled_unit + fraction;
      cut = cut || sum % 10 != 0;
      fraction = sum / 10;
    }
    return std::min(whole_units * kNano + fraction + (cut ? 1 : 0), kLargestNanos);
  }

  const Pieces& pieces_;
  const Suffix& suffix_;
};

/// numerator / divisor, rounded away from zero, within int64.
std::int64_t divide_rounding_up(Int128 numerator, Int128 divisor) {
  Int128 result = numerator / divisor;
  if (numerator % divisor != 0) result += numerator > 0 ? 1 : -1;
  const Int128 clamped = std::clamp<Int128>(result, std::numeric_limits<std::int64_t>::min(), kMaxInt64);
  return static_cast<std::int64_t>(clamped);
}

std::string digits_of(Int128 amount) {
  std::string reversed;
  UnsignedInt128 rest =
      amount < 0 ? UnsignedInt128{0} - static_cast<UnsignedInt128>(amount) : static_cast<UnsignedInt128>(amount);
  do {
    reversed.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  if (amount < 0) reversed.push_back('-');
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

std::string write_binary(Int128 units) {
  std::string_view suffix;
  for (const NamedExponent& named : kBinarySuffixes) {
    if (units % 1024 != 0) break;
    units /= 1024;
    suffix = named.suffix;
  }
  return digits_of(units).append(suffix);
}

std::string write_decimal(Int128 nanos, Quantity::Format format) {
  int exponent = -9;
  while (nanos % 1000 == 0 && (exponent < 18 || format == Quantity::Format::kDecimalExponent)) {
    nanos /= 1000;
    exponent += 3;
  }
  std::string text = digits_of(nanos);
  if (exponent == 0) return text;
  if (format == Quantity::Format::kDecimalExponent) return text.append("e").append(std::to_string(exponent));
  const auto* named = std::find_if(kDecimalSuffixes.begin(), kDecimalSuffixes.end(),
                                   [&](const NamedExponent& candidate) { return candidate.exponent == exponent; });
  return text.append(named->suffix);
}

Int128 saturate(bool negative) { return negative ? -kLargestInt128 : kLargestInt128; }

}  // namespace

Quantity Quantity::of(std::int64_t whole, Format format) {
  Quantity result;
  result.nanos_ = Int128{whole} * kNano;
  result.format_ = format;
  return result;
}

Quantity Quantity::of_milli(std::int64_t milli, Format format) {
  Quantity result;
  result.nanos_ = Int128{milli} * (kNano / 1000);
  result.format_ = format;
  return result;
}

Result<Quantity> Quantity::parse(std::string_view text) {
  if (text.empty()) return failure(std::string(kFormatWrong));
  const std::optional<Pieces> pieces = split(text);
  if (!pieces) return failure(std::string(kFormatWrong));
  const std::optional<Suffix> suffix = interpret(pieces->suffix);
  if (!suffix) return failure(std::string(kSuffixWrong));

  Quantity result;
  result.nanos_ = NanoReader(*pieces, *suffix).read();
  result.format_ = suffix->format;
  // Less than one unit cannot be written with a binary suffix.
  if (result.format_ == Format::kBinarySI && result.nanos_ > 0 && result.nanos_ < kNano) {
    result.format_ = Format::kDecimalSI;
  }
  if (pieces->negative) result.nanos_ = -result.nanos_;
  return result;
}

std::int64_t Quantity::value() const { return divide_rounding_up(nanos_, kNano); }

std::int64_t Quantity::milli_value() const { return divide_rounding_up(nanos_, kNano / 1000); }

int Quantity::sign() const { return nanos_ == 0 ? 0 : nanos_ < 0 ? -1 : 1; }

bool Quantity::is_whole() const { return nanos_ % kNano == 0; }

bool Quantity::is_whole_milli() const { return nanos_ % (kNano / 1000) == 0; }

double Quantity::approximate() const {
  const Int128 whole = nanos_ / kNano;
  if (is_whole()) return static_cast<double>(whole);
  return static_cast<double>(nanos_) / 1e9;
}

Quantity Quantity::rounded_to_milli() const {
  constexpr Int128 kMilli = kNano / 1000;
  Quantity result = *this;
  const Int128 rest = nanos_ % kMilli;
  if (rest != 0) result.nanos_ += (rest > 0 ? kMilli : -kMilli) - rest;
  return result;
}

Quantity& Quantity::operator+=(const Quantity& other) {
  if (is_zero()) format_ = other.format_;
  if (__builtin_add_overflow(nanos_, other.nanos_, &nanos_)) nanos_ = saturate(other.nanos_ < 0);
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
  if (is_zero()) format_ = other.format_;
  if (__builtin_sub_overflow(nanos_, other.nanos_, &nanos_)) nanos_ = saturate(other.nanos_ > 0);
  return *this;
}

Quantity Quantity::negated() const {
  Quantity result = *this;
  result.nanos_ = -nanos_;
  return result;
}

Quantity Quantity::times(std::int64_t count) const {
  Quantity result = *this;
  if (__builtin_mul_overflow(nanos_, Int128{count}, &result.nanos_)) {
    result.nanos_ = saturate((nanos_ < 0) != (count < 0));
  }
  return result;
}

std::string Quantity::to_string() const {
  if (is_zero()) return "0";
  // Fractions, and amounts that no binary suffix can shorten, are written as decimals: upstream's rule.
  constexpr Int128 kSmallestBinary = 1024 * kNano;
  if (format_ == Format::kBinarySI && is_whole() && (nanos_ >= kSmallestBinary || nanos_ <= -kSmallestBinary)) {
    return write_binary(nanos_ / kNano);
  }
  return write_decimal(nanos_, format_ == Format::kDecimalExponent ? format_ : Format::kDecimalSI);
}

std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) { return a.nanos_ <=> b.nanos_; }

bool operator==(const Quantity& a, const Quantity& b) { return a.nanos_ == b.nanos_; }

}  // namespace loadline::schema

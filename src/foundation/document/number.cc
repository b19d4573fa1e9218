#include "foundation/document/number.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "foundation/document/writer.h"

namespace loadline::document {
namespace {

/// The shortest digits that read back equal, and where the point stands: 0.digits × 10^point.
struct Shortest {
  bool negative = false;
  std::string digits;
  int point = 0;
  std::string scientific;  // "1.5e+06", at least two digits of exponent, as Go writes it
};

template <class Float>
Shortest shortest(Float number) {
  char buffer[64];
  const auto written = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific);
  Shortest result;
  result.scientific.assign(buffer, written.ptr);
  std::string_view text = result.scientific;
  if (text.front() == '-') {
    result.negative = true;
    text.remove_prefix(1);
  }
  const std::size_t exponent_at = text.find('e');
  for (const char c : text.substr(0, exponent_at)) {
    if (is_digit(c)) result.digits += c;
  }
  std::string_view exponent = text.substr(exponent_at + 1);
  if (exponent.front() == '+') exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), result.point);
  ++result.point;
  return result;
}

std::string plain(const Shortest& number) {
  std::string text = number.negative ? "-" : "";
  const int count = static_cast<int>(number.digits.size());
  if (number.point <= 0) {
    text += "0.";
    text.append(static_cast<std::size_t>(-number.point), '0');
    return text + number.digits;
  }
  if (count <= number.point) {
    text += number.digits;
    text.append(static_cast<std::size_t>(number.point - count), '0');
    return text;
  }
  const auto point = static_cast<std::size_t>(number.point);
  return text + number.digits.substr(0, point) + "." + number.digits.substr(point);
}

template <class Float>
std::string general(Float number) {
  if (std::isnan(number)) return ".nan";
  if (std::isinf(number)) return number > 0 ? ".inf" : "-.inf";
  if (number == 0) return std::signbit(number) ? "-0" : "0";
  const Shortest digits = shortest(number);
  const int exponent = digits.point - 1;
  return exponent < -4 || exponent >= 6 ? digits.scientific : plain(digits);
}

/// Whether text is `[+-]digits[.digits][e[+-]digits]` with a digit on at least one side of the point.
bool is_decimal(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at - begin;
  };
  const auto sign = [&] {
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  };
  sign();
  std::size_t mantissa = digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    mantissa += digits();
  }
  if (mantissa == 0) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    sign();
    if (digits() == 0) return false;
  }
  return at == text.size();
}

}  // namespace

std::optional<double> parse_float(std::string_view text) {
  if (!is_decimal(text)) return std::nullopt;
  const bool plus = text.front() == '+';
  double number = 0;
  const char* begin = text.data() + (plus ? 1 : 0);
  const auto read = std::from_chars(begin, text.data() + text.size(), number);
  // from_chars does not say whether the number was too large or too small; strtod does, and the grammar has been
  // checked, so that no locale with another decimal point can have a say in more than this rare case.
  if (read.ec == std::errc::result_out_of_range) number = std::strtod(std::string(text).c_str(), nullptr);
  if (std::isinf(number)) return std::nullopt;
  return number;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string format_general(double number) { return general(number); }
std::string format_general_single(double number) { return general(static_cast<float>(number)); }

std::string format_number(double number) {
  if (!std::isfinite(number)) return general(number);
  if (number == 0) return std::signbit(number) ? "-0" : "0";
  const Shortest digits = shortest(number);
  const double size = std::fabs(number);
  if (size >= 1e-6 && size < 1e21) return plain(digits);
  std::string text = digits.scientific;
  // Go's JSON encoder drops the padding of a negative exponent: 1e-07 becomes 1e-7.
  const std::size_t end = text.size();
  if (end >= 4 && text[end - 4] == 'e' && text[end - 3] == '-' && text[end - 2] == '0') text.erase(end - 2, 1);
  return text;
}

}  // namespace loadline::document

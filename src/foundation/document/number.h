#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace loadline::document {

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The nearest double of a decimal number (`[+-]digits[.digits][e[+-]digits]`, digits needed on one side of the point),
/// rounded as Go's strconv.ParseFloat does; too small becomes zero. Nothing if it is no such number, or too large.
std::optional<double> parse_float(std::string_view text);

/// A decimal integer (`[-]digits`) within int64, or nothing.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// A double as Go's `strconv.FormatFloat(x, 'g', -1, 64)` writes it: shortest digits, exponent form below 1e-4 and from
/// 1e6 on. Go-yaml writes floats so.
std::string format_general(double number);

/// The same of the nearest 32-bit float: how a number that stands as a key of a YAML mapping is named.
std::string format_general_single(double number);

}  // namespace loadline::document

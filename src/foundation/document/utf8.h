#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace loadline::document {

/// How many bytes from the beginning are well-formed UTF-8 (no overlong forms, no surrogates).
std::size_t valid_utf8_prefix(std::string_view text);

/// The code point that begins at `offset`, or the one byte there if it begins none. REQUIRES: offset < size.
std::string_view code_point_at(std::string_view text, std::size_t offset);

/// The number of what code_point_at cut out; a byte that begins no code point stands for itself.
std::uint32_t code_point_value(std::string_view character);

/// REQUIRES: a code point, and no surrogate.
void append_utf8(std::string& text, std::uint32_t code_point);

/// The text with each byte that is not well-formed UTF-8 replaced by U+FFFD, as Go's JSON encoder does.
std::string to_valid_utf8(std::string_view text);

}  // namespace loadline::document

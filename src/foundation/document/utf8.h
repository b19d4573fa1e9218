#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace loadline::document {

/// How many bytes from the beginning are well-formed UTF-8 (no overlong forms, no surrogates).
std::size_t valid_utf8_prefix(std::string_view text);

/// The code point that begins at `offset`, or the one byte there if it begins none. REQUIRES: offset < size.
std::string_view code_point_at(std::string_view text, std::size_t offset);

/// The text with each byte that is not well-formed UTF-8 replaced by U+FFFD, as Go's JSON encoder does.
std::string to_valid_utf8(std::string_view text);

}  // namespace loadline::document

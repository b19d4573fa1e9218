#pragma once

#include <cstddef>
#include <string_view>

namespace loadline::document {

constexpr bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// The first place at or behind `at` that is no white space, or the end of the text.
std::size_t skip_json_space(std::string_view text, std::size_t at);

/// Where the JSON value that begins at `begin` ends, judged by brackets and quotes alone: the value may still be a bad
/// one. npos if the text ends before. Its brackets are counted, not matched by kind.
std::size_t end_of_json_value(std::string_view text, std::size_t begin);

}  // namespace loadline::document

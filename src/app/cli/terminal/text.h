#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::cli {

/// Columns that UTF-8 text takes on a terminal: one a code point, two for East Asian wide ones, none for combining
/// marks. A byte that is not UTF-8 counts as one. O(length).
std::size_t display_width(std::string_view text);

/// The longest beginning of `text` that takes at most `width` columns; never cuts a code point.
std::string_view prefix_of_width(std::string_view text, std::size_t width);

/// Breaks at blanks into lines of at most `width` columns; a word that is longer than a line is broken inside.
/// Never returns an empty list. REQUIRES: width > 0.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// Text from an input, made harmless for a terminal and kept to one line: newlines and tabs become a blank, and what a
/// terminal would act on is told by its number, as document::visible does.
std::string printable(std::string_view text);
/// Whether the text is so already.
bool is_printable(std::string_view text);

}  // namespace loadline::cli

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/view/sections.h"

namespace loadline::cli {

/// A section's heading.
Line heading(std::string_view title);

/// Adds an empty line and the heading of a section.
void begin_section(Lines& lines, std::string_view title, Style style);

/// "… and 3 more nodes", which no other format lists either. Nothing if none are left.
void note_left_out(Lines& lines, std::size_t left, std::string_view noun, const Terminal& terminal);

/// The same of what `-o wide` shows, and says so.
void note_left_to_wide(Lines& lines, std::size_t left, std::string_view noun, const Terminal& terminal);

/// Adds `text` wrapped to the terminal's width, each line indented.
void add_wrapped(Lines& lines, std::string_view text, std::size_t indent, const Terminal& terminal, Style style);

/// Adds every line of `more`, indented.
void add_indented(Lines& lines, const Lines& more, std::size_t indent);

/// The terminal left beside an indent.
Terminal narrowed(Terminal terminal, std::size_t indent);

/// "…" and "×", or what stands for them in ASCII.
std::string_view ellipsis(const Terminal& terminal);
std::string_view times_sign(const Terminal& terminal);

/// "web-1 ×4": nothing is appended to what is there once.
std::string with_count(const std::string& name, std::size_t count, const Terminal& terminal);

/// "gpu-a ×4, gpu-b ×6, … 3 more nodes": as many as fit into about `width` columns, at least one.
std::string shares_text(const std::vector<report::NodeShare>& shares, std::size_t width, const Terminal& terminal);

}  // namespace loadline::cli

#include "app/cli/view/section_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/terminal/text.h"
#include "foundation/base/text.h"

namespace loadline::cli {

Line heading(std::string_view title) { return {std::string(title), Style::kBold}; }

void begin_section(Lines& lines, std::string_view title, Style style) {
  lines.emplace_back();
  lines.emplace_back(std::string(title), style);
}

void note_left_out(Lines& lines, std::size_t left, std::string_view noun, const Terminal& terminal) {
  if (left == 0) return;
  lines.emplace_back(fmt::format("  {} and {}", ellipsis(terminal), counted(left, noun)), Style::kDim);
}

void note_left_to_wide(Lines& lines, std::size_t left, std::string_view noun, const Terminal& terminal) {
  if (left == 0) return;
  lines.emplace_back(fmt::format("  {} and {} (-o wide shows every pod)", ellipsis(terminal), counted(left, noun)),
                     Style::kDim);
}

void add_wrapped(Lines& lines, std::string_view text, std::size_t indent, const Terminal& terminal, Style style) {
  for (const std::string& part : wrap(printable(text), narrowed(terminal, indent).width)) {
    lines.push_back(Line(std::string(indent, ' ')).add(part, style));
  }
}

void add_indented(Lines& lines, const Lines& more, std::size_t indent) {
  for (const Line& line : more) lines.push_back(Line(std::string(indent, ' ')).append(line));
}

Terminal narrowed(Terminal terminal, std::size_t indent) {
  terminal.width = std::max<std::size_t>(terminal.width, indent + 20) - indent;
  return terminal;
}

std::string_view ellipsis(const Terminal& terminal) { return terminal.letters == Letters::kUnicode ? "…" : "..."; }

std::string_view times_sign(const Terminal& terminal) { return terminal.letters == Letters::kUnicode ? "×" : "x"; }

std::string with_count(const std::string& name, std::size_t count, const Terminal& terminal) {
  if (count == 1) return name;
  return name + " " + std::string(times_sign(terminal)) + grouped_digits(count);
}

std::string shares_text(const std::vector<report::NodeShare>& shares, std::size_t width, const Terminal& terminal) {
  std::string text;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::string share = with_count(shares[i].node, shares[i].pods, terminal);
    if (i > 0 && display_width(text) + display_width(share) + 2 > width) {
      const std::string rest = counted(shares.size() - i, "more node");
      return fmt::format("{}, {} {}", text, ellipsis(terminal), rest);
    }
    if (i > 0) text += ", ";
    text += share;
  }
  return text;
}

}  // namespace loadline::cli

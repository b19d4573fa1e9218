#include "foundation/document/template_action.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "foundation/base/text.h"
#include "foundation/document/text_cursor.h"

namespace loadline::document {
namespace {

constexpr std::size_t kShown = 60;

/// The line without its comment, and where in it an action begins, if one does.
struct LineScan {
  std::string_view content;
  std::size_t action = std::string_view::npos;
};

/// Quotes that go on over several lines are taken to end with theirs.
LineScan scan(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool begins_word = i == 0 || line[i - 1] == ' ' || line[i - 1] == '[' || line[i - 1] == '{' ||
                             line[i - 1] == ',' || line[i - 1] == '\t';
    if (quote != 0) {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = 0;
    } else if ((c == '"' || c == '\'') && begins_word) {
      quote = c;
    } else if (c == '#' && begins_word) {
      return {line.substr(0, i)};
    } else if (c == '{' && i + 1 < line.size() && (line[i + 1] == '{' || line[i + 1] == '%')) {
      return {line, i};
    }
  }
  return {line};
}

/// Whether a block scalar follows the line: `key: |`, `- >-`, `- key: |2+`.
bool opens_block(std::string_view content) {
  content = trim(content);
  const std::size_t begin = content.find_last_of(" \t");
  const std::string_view last = begin == std::string_view::npos ? content : content.substr(begin + 1);
  if (last.empty() || (last.front() != '|' && last.front() != '>')) return false;
  return std::ranges::all_of(last.substr(1), [](char c) { return c == '+' || c == '-' || (c >= '0' && c <= '9'); });
}

/// The column of the key that a line sets, or of the last dash if it sets none. What is indented further is below it.
std::size_t indentation(std::string_view line) {
  std::size_t at = std::min(line.find_first_not_of(' '), line.size());
  std::size_t column = at;
  while (at < line.size() && line[at] == '-' && at + 1 < line.size() && line[at + 1] == ' ') {
    const std::size_t next = std::min(line.find_first_not_of(' ', at + 1), line.size());
    if (next < line.size() && (line[next] == '|' || line[next] == '>')) return at;
    column = at = next;
  }
  return column;
}

std::string shown(std::string_view action) {
  const std::string_view close = action.starts_with("{{") ? "}}" : "%}";
  const std::size_t end = action.find(close);
  action = action.substr(0, end == std::string_view::npos ? end : end + close.size());
  std::string text(action.substr(0, kShown));
  if (action.size() > kShown) text += "...";
  return text;
}

}  // namespace

std::optional<TemplateAction> find_template_action(std::string_view text) {
  std::optional<std::size_t> block;  // the indentation of the line that opened the block scalar around this line
  std::uint32_t number = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    ++number;
    if (trim(line).empty()) continue;
    const std::size_t column = indentation(line);
    if (block && std::min(line.find_first_not_of(' '), line.size()) > *block) continue;
    block.reset();
    const LineScan found = scan(line);
    if (found.action != std::string_view::npos) {
      const auto place = static_cast<std::uint32_t>(TextCursor(line).advance(found.action).column);
      return TemplateAction{shown(line.substr(found.action)), {number, place}};
    }
    if (opens_block(found.content)) block = column;
  }
  return std::nullopt;
}

}  // namespace loadline::document

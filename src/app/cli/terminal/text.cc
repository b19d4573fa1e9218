#include "app/cli/terminal/text.h"

#include <algorithm>
#include <cstdint>

#include "foundation/base/contract.h"
#include "foundation/document/utf8.h"
#include "foundation/document/visible_text.h"

namespace loadline::cli {
namespace {

bool between(std::uint32_t value, std::uint32_t low, std::uint32_t high) { return value >= low && value <= high; }

/// Of one code point.
std::size_t columns(std::string_view character) {
  const std::uint32_t value = document::code_point_value(character);
  if (between(value, 0x300, 0x36F) || between(value, 0x200B, 0x200F) || between(value, 0xFE00, 0xFE0F)) return 0;
  const bool wide = between(value, 0x1100, 0x115F) || between(value, 0x2E80, 0xA4CF) ||
                    between(value, 0xAC00, 0xD7A3) || between(value, 0xF900, 0xFAFF) ||
                    between(value, 0xFE30, 0xFE6F) || between(value, 0xFF00, 0xFF60) ||
                    between(value, 0x1F300, 0x1FAFF) || between(value, 0x20000, 0x3FFFD);
  return wide ? 2 : 1;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t total = 0;
  while (!text.empty()) {
    const std::string_view character = document::code_point_at(text, 0);
    total += columns(character);
    text.remove_prefix(character.size());
  }
  return total;
}

std::string_view prefix_of_width(std::string_view text, std::size_t width) {
  std::size_t taken = 0;
  while (taken < text.size()) {
    const std::string_view character = document::code_point_at(text, taken);
    const std::size_t wide = columns(character);
    if (wide > width) break;
    width -= wide;
    taken += character.size();
  }
  return text.substr(0, taken);
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  REQUIRES(width > 0);
  std::vector<std::string> lines;
  std::string line;
  std::size_t room = width;
  const auto flush = [&] {
    lines.push_back(std::move(line));
    line.clear();
    room = width;
  };
  while (!text.empty()) {
    const std::size_t start = text.find_first_not_of(' ');
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    if (!line.empty() && display_width(word) + 1 > room) flush();
    if (!line.empty()) {
      line += ' ';
      --room;
    }
    while (display_width(word) > room) {
      std::string_view part = prefix_of_width(word, room);
      if (part.empty()) part = document::code_point_at(word, 0);  // a wide letter in a one-column line
      line += part;
      word.remove_prefix(part.size());
      flush();
    }
    line += word;
    room -= display_width(word);
  }
  if (!line.empty() || lines.empty()) flush();
  return lines;
}

std::string printable(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(line, [](char letter) { return letter == '\n' || letter == '\t' || letter == '\r'; }, ' ');
  return document::visible(line);
}

bool is_printable(std::string_view text) {
  return document::visible_prefix(text) == text.size() && text.find('\n') == std::string_view::npos;
}

}  // namespace loadline::cli

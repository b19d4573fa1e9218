#include "foundation/document/visible_text.h"

#include <fmt/format.h>

#include <cstdint>

#include "foundation/document/utf8.h"

namespace loadline::document {
namespace {

constexpr std::uint32_t kDelete = 0x7F;
constexpr std::uint32_t kFirstAfterC1 = 0xA0;

bool is_plain_byte(char letter) { return (letter >= ' ' && letter < static_cast<char>(kDelete)) || letter == '\n'; }

bool turns_direction(std::uint32_t code_point) {
  return (code_point >= 0x202A && code_point <= 0x202E) || (code_point >= 0x2066 && code_point <= 0x2069);
}

/// Of more bytes than one.
bool is_visible(std::string_view character) {
  const std::uint32_t code_point = code_point_value(character);
  return code_point >= kFirstAfterC1 && !turns_direction(code_point);
}

std::string number_of(std::string_view character) {
  const std::uint32_t code_point = code_point_value(character);
  const bool is_text = character.size() > 1 || code_point <= kDelete;
  return is_text ? fmt::format("\\u{:04x}", code_point) : fmt::format("\\x{:02x}", code_point);
}

}  // namespace

std::size_t visible_prefix(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (is_plain_byte(text[at])) {
      ++at;
      continue;
    }
    const std::string_view character = code_point_at(text, at);
    if (character.size() == 1 || !is_visible(character)) break;
    at += character.size();
  }
  return at;
}

std::string visible(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t good = visible_prefix(text);
    result += text.substr(0, good);
    text.remove_prefix(good);
    if (text.empty()) break;
    const std::string_view character = code_point_at(text, 0);
    result += number_of(character);
    text.remove_prefix(character.size());
  }
  return result;
}

}  // namespace loadline::document

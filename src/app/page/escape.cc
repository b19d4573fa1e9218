#include "app/page/escape.h"

#include <cstddef>
#include <cstdint>

#include "foundation/document/utf8.h"

namespace loadline::page {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;
constexpr std::uint32_t kPictureOfNul = 0x2400;
constexpr std::uint32_t kPictureOfDelete = 0x2421;

/// The characters that embed, override or isolate a direction of writing.
bool turns_direction(std::uint32_t code_point) {
  return (code_point >= 0x202A && code_point <= 0x202E) || (code_point >= 0x2066 && code_point <= 0x2069);
}

bool is_no_character(std::uint32_t code_point) {
  return (code_point & 0xFFFEU) == 0xFFFEU || (code_point >= 0xFDD0 && code_point <= 0xFDEF);
}

std::uint32_t harmless(std::uint32_t code_point) {
  if (code_point == '\t' || code_point == '\n') return code_point;
  if (code_point < 0x20) return kPictureOfNul + code_point;
  if (code_point == 0x7F) return kPictureOfDelete;
  if (code_point >= 0x80 && code_point < 0xA0) return kReplacement;
  return turns_direction(code_point) || is_no_character(code_point) ? kReplacement : code_point;
}

void append_ascii(std::string& html, char letter) {
  switch (letter) {
    case '&':
      html += "&amp;";
      break;
    case '<':
      html += "&lt;";
      break;
    case '>':
      html += "&gt;";
      break;
    case '"':
      html += "&quot;";
      break;
    case '\'':
      html += "&#39;";
      break;
    default:
      html += letter;
  }
}

}  // namespace

void append_escaped(std::string& html, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view character = document::code_point_at(text, at);
    at += character.size();
    std::uint32_t code_point = document::code_point_value(character);
    // A byte of 128 or more that stands alone is not UTF-8.
    if (character.size() == 1 && code_point >= 0x80) code_point = kReplacement;
    code_point = harmless(code_point);
    if (code_point < 0x80) {
      append_ascii(html, static_cast<char>(code_point));
    } else {
      document::append_utf8(html, code_point);
    }
  }
}

std::string escaped(std::string_view text) {
  std::string html;
  append_escaped(html, text);
  return html;
}

}  // namespace loadline::page

#include "foundation/document/utf8.h"

#include <cstring>

#include "foundation/base/contract.h"

namespace loadline::document {
namespace {

unsigned char byte_at(std::string_view text, std::size_t offset) { return static_cast<unsigned char>(text[offset]); }

/// The length of the well-formed code point at `offset`; 0 if there is none.
std::size_t code_point_length(std::string_view text, std::size_t offset) {
  const unsigned char first = byte_at(text, offset);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  }
  if (length == 0 || text.size() - offset < length) return 0;
  if (byte_at(text, offset + 1) < low || byte_at(text, offset + 1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte_at(text, offset + i) & 0xC0U) != 0x80U) return 0;
  }
  return length;
}

}  // namespace

std::size_t valid_utf8_prefix(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t eight = 0;
    if (text.size() - at >= sizeof eight) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & 0x8080808080808080U) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    const std::size_t length = code_point_length(text, at);
    if (length == 0) break;
    at += length;
  }
  return at;
}

std::string_view code_point_at(std::string_view text, std::size_t offset) {
  REQUIRES(offset < text.size());
  const std::size_t length = code_point_length(text, offset);
  return text.substr(offset, length == 0 ? 1 : length);
}

std::uint32_t code_point_value(std::string_view character) {
  REQUIRES(!character.empty());
  const std::uint32_t first = byte_at(character, 0);
  if (character.size() == 1) return first;
  std::uint32_t value = first & (0x7FU >> character.size());
  for (std::size_t i = 1; i < character.size(); ++i) value = (value << 6U) | (byte_at(character, i) & 0x3FU);
  return value;
}

void append_utf8(std::string& text, std::uint32_t code_point) {
  REQUIRES(code_point <= 0x10FFFF && (code_point < 0xD800 || code_point > 0xDFFF));
  const auto tail = [&](unsigned shift) { text += static_cast<char>(0x80U | ((code_point >> shift) & 0x3FU)); };
  if (code_point < 0x80) {
    text += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    text += static_cast<char>(0xC0U | (code_point >> 6U));
    tail(0);
  } else if (code_point < 0x10000) {
    text += static_cast<char>(0xE0U | (code_point >> 12U));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0U | (code_point >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string to_valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const std::size_t good = valid_utf8_prefix(text);
    valid.append(text.substr(0, good));
    if (good == text.size()) break;
    valid += "\xEF\xBF\xBD";
    text.remove_prefix(good + 1);
  }
  return valid;
}

}  // namespace loadline::document

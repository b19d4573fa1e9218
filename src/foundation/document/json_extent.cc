#include "foundation/document/json_extent.h"

#include <array>

#include "foundation/document/byte_words.h"

namespace loadline::document {
namespace {

constexpr std::array<bool, 256> table_of(std::string_view bytes) {
  std::array<bool, 256> table{};
  for (const char c : bytes) table[static_cast<unsigned char>(c)] = true;
  return table;
}

constexpr auto kStructural = table_of("\"{}[]");
constexpr auto kBehindScalar = table_of(",:]}{[\" \t\r\n");

std::size_t next_of(const std::array<bool, 256>& table, std::string_view text, std::size_t at) {
  while (at < text.size() && !table[static_cast<unsigned char>(text[at])]) ++at;
  return at < text.size() ? at : std::string_view::npos;
}

/// Steps over eight bytes at a time while there is nothing structural in them: over the white space of indented texts.
std::size_t skip_plain_words(std::string_view text, std::size_t at) {
  for (; at + sizeof(ByteWord) <= text.size(); at += sizeof(ByteWord)) {
    const ByteWord braces = word_at(text.data() + at) | (kOneInEachByte * 0x20);  // makes `{` of `[`, and `}` of `]`
    if (has_byte(braces, '"') || has_byte(braces, '{') || has_byte(braces, '}')) break;
  }
  return at;
}

std::size_t end_of_string(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
  }
  return std::string_view::npos;
}

std::size_t end_of_container(std::string_view text, std::size_t begin) {
  std::size_t open = 0;
  for (std::size_t at = begin;;) {
    at = next_of(kStructural, text, skip_plain_words(text, at));
    if (at == std::string_view::npos) return at;
    if (text[at] == '"') {
      at = end_of_string(text, at);
      if (at == std::string_view::npos) return at;
      continue;
    }
    const bool opens = text[at] == '{' || text[at] == '[';
    ++at;
    if (opens) {
      ++open;
    } else if (--open == 0) {
      return at;
    }
  }
}

}  // namespace

std::size_t skip_json_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_json_space(text[at])) ++at;
  return at;
}

std::size_t end_of_json_value(std::string_view text, std::size_t begin) {
  if (begin >= text.size()) return std::string_view::npos;
  if (text[begin] == '"') return end_of_string(text, begin);
  if (text[begin] == '{' || text[begin] == '[') return end_of_container(text, begin);
  return next_of(kBehindScalar, text, begin);
}

}  // namespace loadline::document

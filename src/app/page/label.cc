#include "app/page/label.h"

#include <array>
#include <cstdint>
#include <vector>

#include "foundation/document/utf8.h"

namespace loadline::page {
namespace {

constexpr std::string_view kDots = "…";
/// No Kubernetes object has a longer name, and a page of thousands of them must stay small.
constexpr std::size_t kLongestTooltip = 1000;

/// Hundredths of the font's size, from "!" to "~", in DejaVu Sans: of the faces that readers have, a wide one, so what
/// fits by it fits everywhere.
constexpr std::array<std::uint8_t, 94> kAdvances = {
    40, 46, 84, 64, 95, 78, 27, 39,  39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60,
    79, 69, 63, 61, 73, 68, 99, 69,  61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63,
    28, 28, 58, 28, 97, 63, 61, 63,  63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84};

/// Parts of the font's size.
double advance(std::string_view character) {
  const std::uint32_t code_point = document::code_point_value(character);
  if (code_point >= 0x1100) return 1.05;
  if (code_point >= 0x7F) return 0.7;
  return code_point > ' ' ? kAdvances[code_point - '!'] / 100.0 : 0.32;
}

std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  for (std::size_t at = 0; at < text.size(); at += characters.back().size()) {
    characters.push_back(document::code_point_at(text, at));
  }
  return characters;
}

std::string without_middle(const std::vector<std::string_view>& characters, std::size_t head, std::size_t tail) {
  std::string text;
  for (std::size_t i = 0; i < head; ++i) text += characters[i];
  text += kDots;
  for (std::size_t i = characters.size() - tail; i < characters.size(); ++i) text += characters[i];
  return text;
}

}  // namespace

double width_of(std::string_view text, double font_size) {
  double width = 0;
  for (const std::string_view character : characters_of(text)) width += advance(character) * font_size;
  return width;
}

std::string fitted(std::string_view text, double pixels, double font_size) {
  const std::vector<std::string_view> characters = characters_of(text);
  double width = 0;
  for (const std::string_view character : characters) width += advance(character) * font_size;
  if (width <= pixels) return std::string(text);
  double room = pixels - advance(kDots) * font_size;
  std::size_t head = 0;
  std::size_t tail = 0;
  while (head + tail < characters.size()) {
    const bool at_head = head <= tail;
    const std::string_view next = at_head ? characters[head] : characters[characters.size() - 1 - tail];
    room -= advance(next) * font_size;
    if (room < 0) break;
    ++(at_head ? head : tail);
  }
  return head + tail < 3 ? std::string() : without_middle(characters, head, tail);
}

std::string tooltip(std::string_view text) {
  if (text.size() <= kLongestTooltip) return std::string(text);
  const std::vector<std::string_view> characters = characters_of(text);
  if (characters.size() <= kLongestTooltip) return std::string(text);
  return without_middle(characters, kLongestTooltip / 2, kLongestTooltip / 2);
}

}  // namespace loadline::page

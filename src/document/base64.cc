#include "document/base64.h"

#include <cstdint>

namespace loadline::document {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t group = 0;
  int digits = 0;
  int padding = 0;
  for (const char c : text) {
    if (c == '\r' || c == '\n') continue;
    const std::size_t digit = kAlphabet.find(c);
    if (c == '=') {
      if (digits < 2 || digits + ++padding > 4) return std::nullopt;
    } else if (digit == std::string_view::npos || padding > 0) {
      return std::nullopt;
    } else {
      group = (group << 6) | static_cast<std::uint32_t>(digit);
      ++digits;
    }
    if (digits == 4) {
      for (const int shift : {16, 8, 0}) bytes += static_cast<char>((group >> shift) & 0xFFU);
      group = 0;
      digits = 0;
    }
  }
  if (digits == 0) return bytes;
  if (digits + padding != 4) return std::nullopt;
  group <<= 6 * padding;
  bytes += static_cast<char>((group >> 16) & 0xFFU);
  if (digits == 3) bytes += static_cast<char>((group >> 8) & 0xFFU);
  return bytes;
}

}  // namespace loadline::document

#include "foundation/base/base64.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "foundation/base/contract.h"

namespace loadline {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 0xFF;

constexpr std::array<std::uint8_t, 256> kDigits = [] {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return digits;
}();

std::uint8_t digit_of(char c) { return kDigits[static_cast<unsigned char>(c)]; }

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t group = 0;
  int digits = 0;
  int padding = 0;
  for (const char c : text) {
    if (c == '\r' || c == '\n') continue;
    const std::uint8_t digit = digit_of(c);
    if (c == '=') {
      if (digits < 2 || digits + ++padding > 4) return std::nullopt;
    } else if (digit == kNoDigit || padding > 0) {
      return std::nullopt;
    } else {
      group = (group << 6) | digit;
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

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = (group << 8) | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= count ? kAlphabet[(group >> (18 - 6 * i)) & 0x3FU] : '=';
    }
  }
  return text;
}

std::optional<std::string> decode_base64url(std::string_view text) {
  if (text.find_first_of("+/=\r\n") != std::string_view::npos) return std::nullopt;
  std::string standard(text);
  std::replace(standard.begin(), standard.end(), '-', '+');
  std::replace(standard.begin(), standard.end(), '_', '/');
  standard.append((4 - standard.size() % 4) % 4, '=');
  return decode_base64(standard);
}

std::string encode_base64url(std::string_view bytes) {
  std::string text = encode_base64(bytes);
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  text.erase(text.find_last_not_of('=') + 1);
  return text;
}

std::size_t base64_fault(std::string_view text) {
  REQUIRES_SLOW(!decode_base64(text));
  std::size_t group = 0;  // where the group began
  int digits = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\r' || text[at] == '\n') continue;
    if (text[at] == '=') {
      if (digits < 2) return at;
      // One or two of them end the text; whatever is wrong comes after.
      const std::size_t next = digits == 2 ? text.find_first_not_of("\r\n", at + 1) : at;
      if (next == std::string_view::npos) return text.size();
      if (text[next] != '=') return next;
      const std::size_t rest = text.find_first_not_of("\r\n", next + 1);
      return rest == std::string_view::npos ? text.size() : rest;
    }
    if (digit_of(text[at]) == kNoDigit) return at;
    if (digits == 0) group = at;
    digits = (digits + 1) % 4;
  }
  return group;
}

}  // namespace loadline

#pragma once

#include <cstdint>
#include <cstring>

namespace loadline::document {

/// Eight bytes of a text that are looked at together, for texts of hundreds of megabytes.
using ByteWord = std::uint64_t;

inline constexpr ByteWord kOneInEachByte = 0x0101010101010101U;
inline constexpr ByteWord kHighBitOfEachByte = kOneInEachByte << 7U;

inline ByteWord word_at(const char* bytes) {
  ByteWord word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

/// Whether one of the bytes is `byte`.
constexpr bool has_byte(ByteWord word, char byte) {
  const ByteWord difference = word ^ (kOneInEachByte * static_cast<unsigned char>(byte));
  return ((difference - kOneInEachByte) & ~difference & kHighBitOfEachByte) != 0;
}

constexpr bool is_ascii(ByteWord word) { return (word & kHighBitOfEachByte) == 0; }

}  // namespace loadline::document

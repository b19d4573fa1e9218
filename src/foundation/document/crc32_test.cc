#include "foundation/document/crc32.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace loadline::document {
namespace {

/// By the definition, a bit at a time.
std::uint32_t by_bits(std::string_view bytes, std::uint32_t sum) {
  constexpr std::uint32_t kPolynomial = 0xEDB88320U;
  sum = ~sum;
  for (const char byte : bytes) {
    sum ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? kPolynomial : 0);
  }
  return ~sum;
}

TEST(Crc32Test, IsThatOfGzip) {
  EXPECT_EQ(crc32("123456789"), 0xCBF43926U);  // the check value of the algorithm's definition
  EXPECT_EQ(crc32(""), 0U);
}

TEST(Crc32Test, PartsGiveTheSumOfTheWhole) { EXPECT_EQ(crc32("6789", crc32("12345")), crc32("123456789")); }

// Long texts are summed in blocks where the processor can: of any length, from any place, and after any sum.
TEST(Crc32Test, IsTheSameForTextsOfAllLengths) {
  std::string text;
  std::uint32_t state = 1;
  for (int i = 0; i < 1'500; ++i) {
    state = state * 1664525U + 1013904223U;
    text += static_cast<char>(state >> 24);
  }
  for (std::size_t length = 0; length <= 400; ++length) {
    const std::string_view part = std::string_view(text).substr(length % 17, length);
    EXPECT_EQ(crc32(part), by_bits(part, 0)) << length;
    EXPECT_EQ(crc32(part, state), by_bits(part, state)) << length;
  }
  EXPECT_EQ(crc32(text), by_bits(text, 0));
}

}  // namespace
}  // namespace loadline::document

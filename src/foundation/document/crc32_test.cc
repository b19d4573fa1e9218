#include "foundation/document/crc32.h"

#include <gtest/gtest.h>

namespace loadline::document {
namespace {

TEST(Crc32Test, IsThatOfGzip) {
  EXPECT_EQ(crc32("123456789"), 0xCBF43926U);  // the check value of the algorithm's definition
  EXPECT_EQ(crc32(""), 0U);
}

TEST(Crc32Test, PartsGiveTheSumOfTheWhole) { EXPECT_EQ(crc32("6789", crc32("12345")), crc32("123456789")); }

}  // namespace
}  // namespace loadline::document

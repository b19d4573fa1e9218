#include "foundation/document/number.h"

#include <gtest/gtest.h>

#include <limits>

#include "foundation/document/writer.h"

namespace loadline::document {
namespace {

struct Format {
  double number;
  const char* json;
  const char* general;
};

TEST(NumberTest, FloatsAreWrittenAsGoWritesThem) {
  const Format formats[] = {
      {0, "0", "0"},
      {-0.0, "-0", "-0"},
      {1, "1", "1"},
      {1.5, "1.5", "1.5"},
      {-0.25, "-0.25", "-0.25"},
      {100, "100", "100"},
      {123456, "123456", "123456"},
      {1234567.5, "1234567.5", "1.2345675e+06"},
      {1e6, "1000000", "1e+06"},
      {1e20, "100000000000000000000", "1e+20"},
      {1e21, "1e+21", "1e+21"},
      {1e-4, "0.0001", "0.0001"},
      {1e-5, "0.00001", "1e-05"},
      {1e-6, "0.000001", "1e-06"},
      {1e-7, "1e-7", "1e-07"},
      {1.5e-10, "1.5e-10", "1.5e-10"},
      {1e300, "1e+300", "1e+300"},
      {0.1, "0.1", "0.1"},
      {1152921504606846976.0, "1152921504606847000", "1.152921504606847e+18"},
      {5e-324, "5e-324", "5e-324"},
  };
  for (const Format& format : formats) {
    EXPECT_EQ(format_number(format.number), format.json);
    EXPECT_EQ(format_general(format.number), format.general);
  }
  EXPECT_EQ(format_general_single(0.1), "0.1");
  EXPECT_EQ(format_general_single(123456789.0), "1.2345679e+08");
  EXPECT_EQ(format_general_single(std::numeric_limits<double>::infinity()), ".inf");
}

TEST(NumberTest, DecimalTextIsReadToTheNearestDouble) {
  EXPECT_EQ(parse_float("1.5"), 1.5);
  EXPECT_EQ(parse_float("+.5"), 0.5);
  EXPECT_EQ(parse_float("-1."), -1.0);
  EXPECT_EQ(parse_float("1e3"), 1000.0);
  EXPECT_EQ(parse_float("1E+3"), 1000.0);
  EXPECT_EQ(parse_float("1e-400"), 0.0) << "too small is zero";
  EXPECT_EQ(parse_float("5e-324"), 5e-324) << "the smallest there is";
  for (const char* text : {"", ".", "+", "1e", "1e+", "e3", "1.2.3", "0x10", "nan", "inf", "1_0", " 1", "1e400"}) {
    EXPECT_EQ(parse_float(text), std::nullopt) << text;
  }
}

TEST(NumberTest, IntegersAreReadWithinSixtyFourBits) {
  EXPECT_EQ(parse_integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_integer("-0"), 0);
  for (const char* text : {"", "+1", "9223372036854775808", "1.0", "1 "}) EXPECT_EQ(parse_integer(text), std::nullopt);
}

}  // namespace
}  // namespace loadline::document

#include "objects/schema/quantity.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace loadline::schema {
namespace {

constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();

Quantity amount(std::string_view text) {
  const Result<Quantity> parsed = Quantity::parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed.value_or(Quantity());
}

struct CanonicalCase {
  std::string_view text;
  std::string_view canonical;
};

TEST(QuantityTest, PrintsCanonically) {
  const CanonicalCase cases[] = {
      {"0", "0"},
      {"0Ki", "0"},
      {"-0", "0"},
      {"1", "1"},
      {"+5", "5"},
      {"05", "5"},
      {"1500m", "1500m"},
      {"1.5", "1500m"},
      {"1000m", "1"},
      {"1.500", "1500m"},
      {"0.5", "500m"},
      {".5", "500m"},
      {"5.", "5"},
      {"100k", "100k"},
      {"1000k", "1M"},
      {"1000M", "1G"},
      {"1e3", "1e3"},
      {"1E3", "1e3"},
      {"12e6", "12e6"},
      {"1500e3", "1500e3"},
      {"1e4", "10e3"},
      {"1.5e0", "1500e-3"},
      {"1e-3", "1e-3"},
      {"100e-2", "1"},
      {"1E", "1E"},
      {"1000P", "1E"},
      {"1024Mi", "1Gi"},
      {"1.5Gi", "1536Mi"},
      {"1000Ki", "1000Ki"},
      {"1Ki", "1Ki"},
      {"0.5Ki", "512"},
      {"0.1Ki", "102400m"},
      {"1.1Ki", "1126400m"},
      {"2048Ki", "2Mi"},
      {"-3", "-3"},
      {"-1.5Gi", "-1536Mi"},
      {"1n", "1n"},
      {"1000n", "1u"},
      {"0.1n", "1n"},
      {"-0.1n", "-1n"},
      {"1.0000000001", "1000000001n"},
      {"0.0000000000001Ki", "1n"},
      {"8Ei", "9223372036854775807"},
      {"-9Ei", "-9223372036854775807"},
      {"9223372036854775807", "9223372036854775807"},
  };
  for (const CanonicalCase& one : cases) EXPECT_EQ(amount(one.text).to_string(), one.canonical) << one.text;
}

TEST(QuantityTest, RefusesWithUpstreamsWords) {
  const std::string format =
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  const std::string suffix = "unable to parse quantity's suffix";
  const std::pair<std::string_view, std::string> cases[] = {
      {"", format},       {"aoeu", format},  {"1 ", format},      {" 1", format},   {"1.1.M", format},
      {"1+1.0M", format}, {"0.1am", format}, {"1e5i", format},    {".5i", suffix},  {"1i", suffix},
      {"1K", suffix},     {"1mi", suffix},   {"-3.01e-", suffix}, {"1ee3", suffix}, {"1e99999999999999999999", suffix},
  };
  for (const auto& [text, message] : cases) {
    const Result<Quantity> parsed = Quantity::parse(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().message, message) << text;
  }
}

TEST(QuantityTest, RoundsValuesAwayFromZero) {
  EXPECT_EQ(amount("1.1").value(), 2);
  EXPECT_EQ(amount("-1.1").value(), -2);
  EXPECT_EQ(amount("1n").value(), 1);
  EXPECT_EQ(amount("1n").milli_value(), 1);
  EXPECT_EQ(amount("1.5").milli_value(), 1500);
  EXPECT_EQ(amount("0").value(), 0);
}

TEST(QuantityTest, SaturatesInsteadOfWrappingAround) {
  EXPECT_EQ(amount("1e30").value(), kMaxInt64);
  EXPECT_EQ(amount("-1e30").value(), -kMaxInt64);
  EXPECT_EQ(amount("10P").milli_value(), kMaxInt64);
  EXPECT_EQ(amount("1e1000000000000").value(), kMaxInt64);
  EXPECT_EQ(amount("0e1000000000000").value(), 0);
  EXPECT_EQ(amount("1e-1000000000000").to_string(), "1e-9");
  EXPECT_GT(amount("8Ei").times(kMaxInt64), amount("8Ei"));
}

TEST(QuantityTest, RoundsUpToMilliUnits) {
  EXPECT_EQ(amount("100u").rounded_to_milli().to_string(), "1m");
  EXPECT_EQ(amount("-1.0001").rounded_to_milli().to_string(), "-1001m");
  EXPECT_EQ(amount("2Gi").rounded_to_milli().to_string(), "2Gi");
}

TEST(QuantityTest, TakesTheFormatOfWhatIsAddedToZero) {
  Quantity sum;
  sum += amount("1Gi");
  EXPECT_EQ(sum.to_string(), "1Gi");
  sum += amount("1024M");
  EXPECT_EQ(sum.format(), Quantity::Format::kBinarySI);
  EXPECT_EQ((Quantity() - amount("1Mi")).to_string(), "-1Mi");
  EXPECT_EQ((amount("1") + amount("1Ki")).to_string(), "1025");
}

TEST(QuantityTest, ComparesAmountsWhateverTheirFormat) {
  EXPECT_EQ(amount("1Ki"), amount("1024"));
  EXPECT_EQ(amount("1000m"), amount("1e0"));
  EXPECT_LT(amount("1G"), amount("1Gi"));
  EXPECT_TRUE(amount("2Ki").is_whole());
  EXPECT_FALSE(amount("1m").is_whole());
  EXPECT_FALSE(amount("1u").is_whole_milli());
  EXPECT_DOUBLE_EQ(amount("1500m").approximate(), 1.5);
  EXPECT_EQ(Quantity::of_milli(2500).negated().to_string(), "-2500m");
}

std::string any_text() {
  const auto whole = *rc::gen::inRange<std::int64_t>(-1'000'000'000, 1'000'000'000);
  const auto fraction = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
  const auto suffix = *rc::gen::elementOf(
      std::vector<std::string>{"", "n", "u", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "e3", "e-2", "E6"});
  return std::to_string(whole) + "." + std::to_string(fraction) + suffix;
}

RC_GTEST_PROP(QuantityProperty, PrintingAndParsingGiveTheSameAmount, ()) {
  const Quantity quantity = amount(any_text());
  RC_ASSERT(amount(quantity.to_string()) == quantity);
  RC_ASSERT(amount(quantity.to_string()).to_string() == quantity.to_string());
}

RC_GTEST_PROP(QuantityProperty, AddingKeepsTheOrder, ()) {
  const Quantity a = amount(any_text());
  const Quantity b = amount(any_text());
  const Quantity c = amount(any_text());
  RC_ASSERT((a < b) == (a + c < b + c));
  RC_ASSERT(a + c - c == a);
  RC_ASSERT(a + b == b + a);
}

RC_GTEST_PROP(QuantityProperty, MultiplyingIsAddingRepeatedly, ()) {
  const Quantity one = amount(any_text());
  const auto count = *rc::gen::inRange(0, 20);
  Quantity sum;
  for (int i = 0; i < count; ++i) sum += one;
  RC_ASSERT(one.times(count) == sum);
}

RC_GTEST_PROP(QuantityProperty, ValueIsTheNextWholeNumberFromZero, ()) {
  const Quantity quantity = amount(any_text());
  const Quantity value = Quantity::of(quantity.value());
  if (quantity.sign() >= 0) {
    RC_ASSERT(value >= quantity && value - Quantity::of(1) < quantity);
  } else {
    RC_ASSERT(value <= quantity && value + Quantity::of(1) > quantity);
  }
}

}  // namespace
}  // namespace loadline::schema

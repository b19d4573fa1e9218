#include "app/report/amount.h"

#include <gtest/gtest.h>

namespace loadline::report {
namespace {

kube::Quantity quantity(const char* text) { return kube::Quantity::parse(text).value(); }

TEST(ReadableAmount, HasAtMostOneDecimalRoundedDown) {
  struct Case {
    const char* resource;
    const char* amount;
    const char* expected;
  };
  for (const Case& test :
       {Case{"cpu", "1500m", "1.5"}, Case{"cpu", "1999m", "1.9"}, Case{"cpu", "4", "4"}, Case{"cpu", "100m", "0.1"},
        Case{"memory", "1Gi", "1Gi"}, Case{"memory", "1536Mi", "1.5Gi"}, Case{"memory", "1000", "1000"},
        Case{"memory", "2Ti", "2Ti"}, Case{"memory", "0", "0"}, Case{"hugepages-2Mi", "4Mi", "4Mi"},
        Case{"nvidia.com/gpu", "8", "8"}, Case{"nvidia.com/gpu", "12000", "12000"}}) {
    EXPECT_EQ(readable_amount(test.resource, quantity(test.amount)), test.expected) << test.resource << test.amount;
  }
}

TEST(ExactAmount, LosesNothingThatAComparisonNeeds) {
  EXPECT_EQ(exact_amount("cpu", quantity("250m")), "0.25");
  EXPECT_EQ(exact_amount("cpu", quantity("15890m")), "15.89");
  EXPECT_EQ(exact_amount("nvidia.com/gpu", quantity("12000")), "12000");
  EXPECT_EQ(exact_amount("memory", quantity("1120Gi")), "1120Gi");
  EXPECT_EQ(exact_amount("memory", quantity("1536Mi")), "1.5Gi");
  EXPECT_EQ(exact_amount("memory", quantity("62.5Gi")), "62.5Gi");
  EXPECT_EQ(exact_amount("memory", quantity("2Ti")), "2Ti");
  EXPECT_EQ(exact_amount("memory", quantity("32386420Ki")), "30.8Gi");
  EXPECT_EQ(exact_amount("memory", quantity("1000")), "1000");
}

TEST(Percent, IsRoundedDownSoThatOnlyFullIsFull) {
  EXPECT_EQ(percent(quantity("1"), quantity("3")), 33);
  EXPECT_EQ(percent(quantity("999m"), quantity("1")), 99);
  EXPECT_EQ(percent(quantity("1"), quantity("1")), 100);
  EXPECT_EQ(percent(quantity("3"), quantity("2")), 150);
  EXPECT_EQ(percent(quantity("3"), quantity("0")), 0);
}

TEST(Percent, SaysLessThanOneForALittleOfMuch) {
  EXPECT_EQ(percent_text(quantity("1"), quantity("1000")), "<1%");
  EXPECT_EQ(percent_text(quantity("0"), quantity("1000")), "0%");
  EXPECT_EQ(percent_text(quantity("37"), quantity("100")), "37%");
}

}  // namespace
}  // namespace loadline::report

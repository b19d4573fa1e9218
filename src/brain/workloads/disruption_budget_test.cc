#include "brain/workloads/disruption_budget.h"

#include <gtest/gtest.h>

namespace loadline::workloads {
namespace {

kube::IntOrString count(std::int32_t number) { return {number, ""}; }
kube::IntOrString percent(const std::string& text) { return {std::nullopt, text}; }

TEST(ScaledUpTest, PercentagesRoundUp) {
  EXPECT_EQ(scaled_up(count(3), 10), 3);
  EXPECT_EQ(scaled_up(percent("50%"), 10), 5);
  EXPECT_EQ(scaled_up(percent("50%"), 5), 3);
  EXPECT_EQ(scaled_up(percent("1%"), 1), 1);
  EXPECT_EQ(scaled_up(percent("0%"), 10), 0);
  EXPECT_EQ(scaled_up(percent("100%"), 7), 7);
}

TEST(DisruptionBudgetTest, AsksForReplicasOnlyWhereTheyCount) {
  kube::PodDisruptionBudget budget;
  budget.min_available = count(2);
  const auto unknown_scale = []() -> std::optional<std::int64_t> { return std::nullopt; };
  EXPECT_EQ(count_disruptions(budget, 4, 3, unknown_scale).allowed(), 1);
  budget.min_available = percent("50%");
  EXPECT_EQ(count_disruptions(budget, 4, 3, unknown_scale).allowed(), 0);
  EXPECT_EQ(count_disruptions(budget, 4, 4, [] { return std::optional<std::int64_t>(5); }).allowed(), 1);
}

}  // namespace
}  // namespace loadline::workloads

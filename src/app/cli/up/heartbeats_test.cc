#include "app/cli/up/heartbeats.h"

#include <gtest/gtest.h>

namespace loadline::cli {
namespace {

TEST(Heartbeats, BecomeRarerOnlyInAHurry) {
  EXPECT_EQ(lease_period(0, {}), kLeasePeriod);
  EXPECT_EQ(lease_period(1, {}), kLeasePeriod);
  EXPECT_EQ(lease_period(4, {}), kLeasePeriod);
  EXPECT_EQ(lease_period(60, {}), Duration::seconds(150));
  EXPECT_EQ(lease_period(0, Duration::seconds(600)), kLeasePeriod);
  EXPECT_EQ(lease_period(0, Duration::seconds(86400)), Duration::seconds(1440));
}

}  // namespace
}  // namespace loadline::cli

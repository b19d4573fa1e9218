#include "brain/placement/rejection_tally.h"

#include <gtest/gtest.h>

namespace loadline::placement {
namespace {

TEST(RejectionTally, CountsInOrderOfIdsAndForgetsWhatIsGone) {
  RejectionTally tally;
  const RejectionId first{1};
  const RejectionId second{2};
  tally.add(second);
  tally.add(first, 3);
  tally.add(second);
  EXPECT_EQ(tally.counts(), (std::vector<RejectionCount>{{first, 3}, {second, 2}}));
  EXPECT_EQ(tally.nodes(), 5U);
  tally.remove(second);
  tally.remove(second);
  EXPECT_EQ(tally.counts(), (std::vector<RejectionCount>{{first, 3}}));
  EXPECT_EQ(tally.nodes(), 3U);
}

}  // namespace
}  // namespace loadline::placement

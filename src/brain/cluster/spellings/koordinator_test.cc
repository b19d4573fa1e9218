#include "brain/cluster/spellings/koordinator.h"

#include <gtest/gtest.h>

namespace loadline::cluster::spellings {
namespace {

TEST(KoordinatorGroups, NeedWhatTheirPodsSay) {
  kube::ObjectMeta pod;
  pod.annotations = {{"gang.scheduling.koordinator.sh/total-number", "5"}};
  EXPECT_FALSE(describe_by_koordinator(pod));
  pod.annotations.insert_or_assign("gang.scheduling.koordinator.sh/min-available", "3");
  ASSERT_TRUE(describe_by_koordinator(pod));
  EXPECT_EQ(describe_by_koordinator(pod)->min_count, 3);
}

}  // namespace
}  // namespace loadline::cluster::spellings

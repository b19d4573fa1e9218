#include "brain/cluster/spellings/coscheduling.h"

#include <gtest/gtest.h>

namespace loadline::cluster::spellings {
namespace {

TEST(CoschedulingGroups, HaveStartedOnceTheyRun) {
  SymbolTable symbols;
  kube::CoschedulingPodGroup group;
  group.metadata.name = "train";
  group.min_member = 3;
  for (const char* phase : {"", "Pending", "Scheduling", "Failed"}) {
    group.status.phase = phase;
    EXPECT_FALSE(describe(group, symbols).has_started) << phase;
  }
  for (const char* phase : {"Running", "Finished"}) {
    group.status.phase = phase;
    EXPECT_TRUE(describe(group, symbols).has_started) << phase;
  }
  EXPECT_EQ(describe(group, symbols).min_count, 3);
  EXPECT_EQ(describe(group, symbols).group, (GroupName{GroupSpelling::kCoscheduling, "train"}));
}

}  // namespace
}  // namespace loadline::cluster::spellings

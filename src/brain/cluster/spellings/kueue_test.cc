#include "brain/cluster/spellings/kueue.h"

#include <gtest/gtest.h>

namespace loadline::cluster::spellings {
namespace {

TEST(KueueGroups, StartWhole) {
  kube::ObjectMeta pod;
  EXPECT_FALSE(describe_by_kueue(pod));
  for (const char* bad : {"", "two", "-1", "2.5", "2 "}) {
    pod.annotations.insert_or_assign("kueue.x-k8s.io/pod-group-total-count", bad);
    EXPECT_FALSE(describe_by_kueue(pod)) << bad;
  }
  pod.annotations.insert_or_assign("kueue.x-k8s.io/pod-group-total-count", "2");
  ASSERT_TRUE(describe_by_kueue(pod));
  EXPECT_EQ(describe_by_kueue(pod)->min_count, 2);
  EXPECT_TRUE(describe_by_kueue(pod)->rules.topology.empty());
}

TEST(KueueGroups, WishForTopologyInAnnotations) {
  kube::ObjectMeta pod;
  pod.annotations = {{"kueue.x-k8s.io/pod-group-total-count", "8"},
                     {"kueue.x-k8s.io/podset-preferred-topology", "rack"},
                     {"kueue.x-k8s.io/podset-slice-required-topology", "host"},
                     {"kueue.x-k8s.io/podset-slice-size", "4"}};
  const TopologyWish wish = describe_by_kueue(pod)->rules.topology;
  EXPECT_EQ(wish.preferred, "rack");
  EXPECT_EQ(wish.required, "");
  EXPECT_EQ(wish.slice_required, "host");
  EXPECT_EQ(wish.slice_size, 4);
}

}  // namespace
}  // namespace loadline::cluster::spellings

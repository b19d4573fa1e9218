#include "brain/cluster/facts/taint_eviction.h"

#include <gtest/gtest.h>

#include "brain/cluster/cluster.h"
#include "brain/cluster/testing/node_builder.h"
#include "brain/cluster/testing/pod_builder.h"

namespace loadline::cluster {
namespace {

using namespace testing;  // NOLINT: the fixtures' words
using kube::TaintEffect;

kube::Toleration for_seconds(const std::string& key, std::optional<std::int64_t> seconds) {
  kube::Toleration toleration = tolerating(key);
  toleration.toleration_seconds = seconds;
  return toleration;
}

std::optional<Duration> stay(const NodeBuilder& on, const PodBuilder& who) {
  Cluster cluster;
  const auto id = cluster.add_node(on);
  return time_to_stay(cluster.facts(id).taints, cluster.shape_of(cluster.add_pod(who)).tolerations);
}

TEST(TimeToStayTest, OnlyNoExecuteTaintsDriveOut) {
  EXPECT_EQ(stay(node("n"), pod("p")), std::nullopt);
  EXPECT_EQ(stay(node("n").taint("a", TaintEffect::kNoSchedule).taint("b", TaintEffect::kPreferNoSchedule), pod("p")),
            std::nullopt);
  EXPECT_EQ(stay(node("n").taint("a", TaintEffect::kNoExecute), pod("p")), Duration::seconds(0));
}

TEST(TimeToStayTest, TheShortestTolerationInUseDecides) {
  const auto one = node("n").taint("a", TaintEffect::kNoExecute);
  EXPECT_EQ(stay(one, pod("p").tolerates(for_seconds("a", std::nullopt))), std::nullopt);
  EXPECT_EQ(stay(one, pod("p").tolerates(for_seconds("a", 60))), Duration::seconds(60));
  EXPECT_EQ(stay(one, pod("p").tolerates(for_seconds("a", 0))), Duration::seconds(0));
  EXPECT_EQ(stay(one, pod("p").tolerates(for_seconds("a", -5))), Duration::seconds(0));
  // Of several tolerations for one taint, the first is the one in use.
  EXPECT_EQ(stay(one, pod("p").tolerates(for_seconds("a", 60)).tolerates(for_seconds("", 10))), Duration::seconds(60));

  const auto two = node("n").taint("a", TaintEffect::kNoExecute).taint("b", TaintEffect::kNoExecute);
  EXPECT_EQ(stay(two, pod("p").tolerates(for_seconds("a", 60)).tolerates(for_seconds("b", 20))), Duration::seconds(20));
  EXPECT_EQ(stay(two, pod("p").tolerates(for_seconds("a", 60)).tolerates(for_seconds("b", std::nullopt))),
            Duration::seconds(60));
  EXPECT_EQ(stay(two, pod("p").tolerates(for_seconds("a", 60))), Duration::seconds(0));
}

}  // namespace
}  // namespace loadline::cluster

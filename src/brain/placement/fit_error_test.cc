#include "brain/placement/fit_error.h"

#include "brain/placement/testing/placement_fixture.h"

namespace loadline::placement {
namespace {

using cluster::testing::named;
using cluster::testing::node;
using cluster::testing::pod;

using FitErrorTest = testing::PlacementFixture;

TEST_F(FitErrorTest, WithoutNodesSaysSo) {
  EXPECT_EQ(placement::text(decide(pod("p"))), "no nodes available to schedule pods");
}

TEST_F(FitErrorTest, ReasonsAreCountedAndSortedAsTexts) {
  add(node("cordoned").cordoned());
  for (int i = 0; i < 10; ++i) add(node("tainted" + std::to_string(i)).taint("a", kube::TaintEffect::kNoSchedule));
  for (const char* name : {"small-1", "small-2"}) add(node(name).allocatable("cpu", "1").allocatable("memory", "1Gi"));
  // As texts "1 node(s)…" comes before "10 …", which comes before "2 …".
  EXPECT_EQ(placement::text(decide(pod("p").request("cpu", "2").request("memory", "2Gi"))),
            "0/13 nodes are available: 1 node(s) were unschedulable, 10 node(s) had untolerated taint(s), "
            "2 Insufficient cpu, 2 Insufficient memory. "
            "no new claims to deallocate, preemption: 0/13 nodes are available: 13 Preemption is not helpful for "
            "scheduling.");
}

// The plugin of dynamic resources had no turn at PreFilter, so it finds nothing of its own and ends the stage.
TEST_F(FitErrorTest, PodsRefusedAsAWholeSayWhyOnce) {
  add(node("a"));
  add(node("b"));
  kube::NodeSelectorTerm contradiction = named("a");
  contradiction.match_fields.push_back(named("b").match_fields.front());
  const Decision decision = decide(pod("p").requires_nodes(contradiction));
  EXPECT_EQ(placement::text(decision), "0/2 nodes are available: pod affinity terms conflict. not found");
  const auto counts = count_reasons(*decision.fit_error, 2);
  ASSERT_EQ(counts.size(), 1U);
  EXPECT_EQ(counts[0].nodes, 2U);
  EXPECT_EQ(counts[0].plugin, "NodeAffinity");
}

TEST_F(FitErrorTest, NodesThatWereNotLookedAtAreCountedUnderTheNarrowingPlugin) {
  for (const char* name : {"a", "b", "c"}) add(node(name));
  EXPECT_EQ(
      placement::text(decide(pod("p").requires_nodes(named("b")).request("cpu", "5"))),
      "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. "
      "no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.");
}

TEST_F(FitErrorTest, PreemptionSaysWhyItFoundNoVictims) {
  const auto full = add(node("full"));
  add(node("tainted").taint("a", kube::TaintEffect::kNoSchedule));
  add(pod("there").request("cpu", "4").priority(9), full);
  EXPECT_EQ(placement::text(decide(pod("p").request("cpu", "1").priority(9))),
            "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). "
            "no new claims to deallocate, preemption: 0/2 nodes are available: 1 No preemption victims found for "
            "incoming pod, "
            "1 Preemption is not helpful for scheduling.");
}

TEST_F(FitErrorTest, ASuccessfulPreemptionAddsNothing) {
  const auto full = add(node("full"));
  add(pod("there").request("cpu", "4"), full);
  EXPECT_EQ(placement::text(decide(pod("p").request("cpu", "1").priority(1))),
            "0/1 nodes are available: 1 Insufficient cpu.");
}

TEST_F(FitErrorTest, PodsThatNeverPreemptSaySo) {
  const auto full = add(node("full"));
  add(pod("there").request("cpu", "4"), full);
  EXPECT_EQ(placement::text(decide(pod("p").request("cpu", "1").priority(1).never_preempts())),
            "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, "
            "preemption: not eligible due to preemptionPolicy=Never.");
}

TEST_F(FitErrorTest, WithoutThePluginThereIsNoWordOfPreemption) {
  configuration_.profiles[0].plugins.post_filter.disabled = {{"*"}};
  add(node("small"));
  EXPECT_EQ(placement::text(decide(pod("p").request("cpu", "5"))), "0/1 nodes are available: 1 Insufficient cpu.");
}

TEST_F(FitErrorTest, CountedReasonsComeMostNodesFirst) {
  add(node("cordoned").cordoned());
  for (const char* name : {"small-1", "small-2"}) add(node(name).allocatable("cpu", "1"));
  const Decision decision = decide(pod("p").request("cpu", "2"));
  const auto counts = count_reasons(*decision.fit_error, 3);
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(counts[0].nodes, 2U);
  EXPECT_EQ(counts[0].plugin, "NodeResourcesFit");
  EXPECT_EQ(counts[0].text, "Insufficient cpu");
  EXPECT_EQ(counts[1].nodes, 1U);
  EXPECT_EQ(counts[1].plugin, "NodeUnschedulable");
}

}  // namespace
}  // namespace loadline::placement

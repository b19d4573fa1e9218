// Who leaves when a group, or a pod, makes room for itself: what leaves together, and which set is the least.
#include "brain/gang/victims.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "brain/decision/eviction_text.h"
#include "brain/gang/testing/victims_fixture.h"

namespace loadline::gang {
namespace {

using cluster::NodeId;
using cluster::PodId;
using decision::Turn;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::pod;
using testing::PodBuilder;

class VictimsTest : public testing::VictimsFixture {};

// ---- what leaves together -------------------------------------------------------------------------------------------

TEST_F(VictimsTest, AGangLeavesAsAWholeWhereverItsPodsAre) {
  const NodeId a = gpu_node("a");
  const NodeId b = gpu_node("b");
  running("train", 2, {a, b}, with_gpus("p", 4));
  EXPECT_THAT(victims_for(1, 8), ElementsAre("train-0", "train-1"));
  ASSERT_EQ(last_.evictions.size(), 1U);
  EXPECT_EQ(decision::text_of(last_.evictions[0], cluster_), "pod group default/train (2 pods)");
  expect_start();
}

TEST_F(VictimsTest, MembersAboveTheMinimumLeaveFirst) {
  const NodeId a = gpu_node("a");
  const NodeId b = gpu_node("b");
  running("elastic", 2, {b, b, b, b}, with_gpus("p", 2));
  add(with_gpus("alone", 8), a);
  EXPECT_THAT(victims_for(2, 2), ElementsAre("elastic-0", "elastic-1")) << "no job ends";
  expect_start();
}

TEST_F(VictimsTest, AGangWithoutSurplusIsNotBrokenUp) {
  const NodeId a = gpu_node("a");
  running("elastic", 2, {a, a, a, a}, with_gpus("p", 2));
  EXPECT_THAT(victims_for(3, 2), ElementsAre("elastic-0", "elastic-1", "elastic-2", "elastic-3"));
  expect_start();
}

TEST_F(VictimsTest, TheDisruptionModeDecidesIfThePolicySaysSo) {
  switch_to(GroupVictims::kByDisruptionMode);
  const NodeId a = gpu_node("a");
  running("by-pod", 2, {a, a}, with_gpus("p", 4));
  EXPECT_THAT(victims_for(1, 4), ElementsAre(::testing::AnyOf("by-pod-0", "by-pod-1")));
}

TEST_F(VictimsTest, AGroupThatIsEvictedWholeSparesNobody) {
  switch_to(GroupVictims::kByDisruptionMode);
  const NodeId a = gpu_node("a");
  running("whole", 1, {a, a}, with_gpus("p", 4));
  describe("whole", 1, true);
  EXPECT_THAT(victims_for(1, 4), ElementsAre("whole-0", "whole-1"));
}

TEST_F(VictimsTest, PodByPodARankLeavesAlone) {
  switch_to(GroupVictims::kPodByPod);
  const NodeId a = gpu_node("a");
  running("train", 2, {a, a}, with_gpus("p", 4));
  EXPECT_THAT(victims_for(1, 4), ::testing::SizeIs(1));
}

TEST_F(VictimsTest, OneImportantMemberProtectsTheGang) {
  const NodeId a = gpu_node("a");
  running("train", 2, {a}, with_gpus("p", 4));
  add(with_gpus("leader", 4, 1000).group("train"), a);
  EXPECT_THAT(victims_for(1, 4), IsEmpty());
  EXPECT_EQ(last_.verdict, Verdict::kDoesNotFit);
}

TEST_F(VictimsTest, TheGroupsObjectSaysItsPriority) {
  const NodeId a = gpu_node("a");
  running("train", 2, {a, a}, with_gpus("p", 4));
  describe("train", 2, false, 100);
  EXPECT_THAT(victims_for(1, 4), IsEmpty()) << "equal priority";
  describe("train", 2, false, 99);
  dispatcher().capacity_freed();
  EXPECT_THAT(victims_of(turn()), ElementsAre("train-0", "train-1"));
}

TEST_F(VictimsTest, WhatHasRunForLessThanItIsGrantedStays) {
  const NodeId a = gpu_node("a");
  PodBuilder granted = with_gpus("granted", 8);
  annotate(granted, "minimum-run-time", "1001s");
  add(granted, a);
  EXPECT_THAT(victims_for(1, 8), IsEmpty());
  EXPECT_THAT(said(last_.pods[0]), HasSubstr("preemption: No preemption victims found for incoming preemptor. 1 pod or "
                                             "group has not run for as long as it is granted."));
  dispatcher().capacity_freed();
  dispatcher().set_now(Instant{} + Duration::seconds(kNow + 1));
  EXPECT_THAT(victims_of(dispatcher().take(*dispatcher().next())), ElementsAre("granted"));
}

/// Who writes a pod writes its annotations: the cluster's policy says how much of what they claim counts.
TEST_F(VictimsTest, AnExemptionCountsForADayAndAsLongAsThePolicySays) {
  const NodeId a = gpu_node("a");
  PodBuilder granted = with_gpus("granted", 8);
  annotate(granted, "minimum-run-time", "87600h");
  add(granted, a);
  EXPECT_THAT(victims_for(1, 8), IsEmpty());
  Switches switches;
  switches.exempt_hours = 0;
  dispatcher().set_switches(switches);
  dispatcher().capacity_freed();
  EXPECT_THAT(victims_of(dispatcher().take(*dispatcher().next())), ElementsAre("granted"));
}

/// A group of which each member leaves by itself: what left for its most important member would evict another of them.
TEST_F(VictimsTest, AMemberThatMayBeEvictedByItselfMakesRoomByItsOwnPriority) {
  const NodeId a = gpu_node("a");
  add(with_gpus("other", 8).priority(1), a);
  describe("mixed", 1);
  submit(with_gpus("unimportant", 8).priority(0).group("mixed"));
  submit(with_gpus("important", 9).priority(100).group("mixed"));
  EXPECT_THAT(victims_of(last_ = turn()), IsEmpty());
  submit(with_gpus("also-important", 8).priority(100).group("mixed"));
  EXPECT_THAT(victims_of(last_ = turn()), ElementsAre("other"));
  const auto nominated = std::ranges::find_if(last_.pods, [](const auto& each) { return each.nominated.valid(); });
  ASSERT_NE(nominated, last_.pods.end());
  EXPECT_EQ(cluster_.pod_name(nominated->pod), "also-important");
}

TEST_F(VictimsTest, WhoNeverPreemptsEvictsNobody) {
  const NodeId a = gpu_node("a");
  add(with_gpus("low", 8), a);
  describe("big", 1);
  submit(pod("p").request("nvidia.com/gpu", "8").priority(9).never_preempts(), "big", 1);
  const Turn refused = turn();
  EXPECT_THAT(victims_of(refused), IsEmpty());
  EXPECT_THAT(said(refused.pods[0]), HasSubstr("preemption: not eligible due to preemptionPolicy=Never."));
}

// ---- which set is the least -----------------------------------------------------------------------------------------

TEST_F(VictimsTest, TheLowestPriorityLeavesFirst) {
  add(with_gpus("five", 8, 5), gpu_node("a"));
  add(with_gpus("three", 8, 3), gpu_node("b"));
  add(with_gpus("four", 8, 4), gpu_node("c"));
  EXPECT_THAT(victims_for(1, 8), ElementsAre("three"));
}

TEST_F(VictimsTest, ManyOfLowPriorityRatherThanOneOfHigher) {
  const NodeId a = gpu_node("a");
  for (const char* name : {"l1", "l2", "l3", "l4"}) add(with_gpus(name, 2, 1), a);
  add(with_gpus("one", 8, 2), gpu_node("b"));
  EXPECT_THAT(victims_for(1, 8), ElementsAre("l1", "l2", "l3", "l4"));
}

TEST_F(VictimsTest, FewJobsAreDisturbed) {
  const NodeId a = gpu_node("a");
  for (const char* name : {"l1", "l2"}) add(with_gpus(name, 4).started(kNow - 1), a);
  running("train", 4, {gpu_node("b"), gpu_node("c"), gpu_node("d"), gpu_node("e")}, with_gpus("p", 8));
  EXPECT_THAT(victims_for(1, 8), ElementsAre("train-0", "train-1", "train-2", "train-3"))
      << "one job ends, of two that have hardly begun";
}

TEST_F(VictimsTest, WhatHasRunForLongStays) {
  add(with_gpus("old", 8).started(kNow - 5000), gpu_node("a"));
  add(with_gpus("young", 8).started(kNow - 10), gpu_node("b"));
  EXPECT_THAT(victims_for(1, 8), ElementsAre("young"));
}

TEST_F(VictimsTest, WorkIsLostSinceTheLastCheckpoint) {
  PodBuilder saved = with_gpus("saved", 8).started(0);
  annotate(saved, "last-checkpoint", "1970-01-02T03:46:30Z");  // 10 s ago
  add(saved, gpu_node("a"));
  add(with_gpus("unsaved", 8).started(kNow - 11), gpu_node("b"));
  EXPECT_THAT(victims_for(1, 8), ElementsAre("saved"));
}

TEST_F(VictimsTest, TheCheckpointOfOneMemberIsThatOfItsGang) {
  const NodeId a = gpu_node("a");
  describe("train", 2);
  for (const char* name : {"train-0", "train-1"}) {
    PodBuilder member = with_gpus(name, 4).started(0);
    if (std::string(name) == "train-0") annotate(member, "last-checkpoint", "1970-01-02T03:46:30Z");  // 10 s ago
    add(member.group("train"), a);
  }
  add(with_gpus("unsaved", 8).started(kNow - 11), gpu_node("b"));
  EXPECT_THAT(victims_for(1, 8), ElementsAre("train-0", "train-1"));
}

TEST_F(VictimsTest, ACheckpointThatIsWrittenLaterCounts) {
  const NodeId a = gpu_node("a");
  PodBuilder builder = with_gpus("saved", 8).started(0);
  const PodId saved = add(builder, a);
  add(with_gpus("unsaved", 8).started(kNow - 11), gpu_node("b"));
  annotate(builder, "last-checkpoint", "1970-01-02T03:46:30Z");
  cluster_.update_pod(saved, builder);
  EXPECT_THAT(victims_for(1, 8), ElementsAre("saved"));
}

TEST_F(VictimsTest, EqualPriorityEvictsNobodyAndNobodyEvictsBack) {
  const NodeId a = gpu_node("a");
  running("first", 2, {a, a}, with_gpus("p", 4, 100));
  EXPECT_THAT(victims_for(2, 4), IsEmpty());
  describe("more", 2);
  submit(pod("p").request("nvidia.com/gpu", "4").priority(101), "more", 2);
  last_ = turn();
  EXPECT_THAT(victims_of(last_), ElementsAre("first-0", "first-1"));
  expect_start();
  submit(pod("p").request("nvidia.com/gpu", "4").priority(100), "first", 2);
  for (const Turn& each : take_turns()) EXPECT_THAT(victims_of(each), IsEmpty());
}

TEST_F(VictimsTest, NobodyIsEvictedWhileOthersAreLeaving) {
  const NodeId a = gpu_node("a");
  const NodeId b = gpu_node("b");
  add(with_gpus("low", 8), a);
  const PodId done = add(with_gpus("done", 8, 50), b);
  dispatcher().leaving(done);
  EXPECT_THAT(victims_for(1, 8), IsEmpty());
  EXPECT_EQ(last_.verdict, Verdict::kWaitsForRoom);
  EXPECT_EQ(last_.pods[0].nominated, b);
}

TEST_F(VictimsTest, ABudgetIsViolatedLast) {
  kube::PodDisruptionBudget budget;
  budget.metadata.namespace_ = "default";
  budget.metadata.name = "guard";
  budget.selector = cluster::testing::selecting("app", "guarded");
  add(with_gpus("guarded", 8, 1).label("app", "guarded"), gpu_node("a"));
  add(with_gpus("free", 8, 9), gpu_node("b"));
  cluster_.set_budget(budget, 0);
  EXPECT_THAT(victims_for(1, 8), ElementsAre("free"));
}

// ---- single pods ----------------------------------------------------------------------------------------------------

TEST_F(VictimsTest, APodDoesNotBreakAGang) {
  const NodeId a = gpu_node("a");
  const NodeId b = gpu_node("b");
  running("train", 2, {a, b}, with_gpus("p", 8, 1));
  add(with_gpus("alone", 8, 5), gpu_node("c"));
  submit(pod("single").request("nvidia.com/gpu", "8").priority(100));
  EXPECT_THAT(victims_of(last_ = turn()), ElementsAre("train-0", "train-1")) << "whole, as its priority is lowest";
  EXPECT_TRUE(last_.pods[0].nominated == a || last_.pods[0].nominated == b);
}

TEST_F(VictimsTest, APodLeavesAGangAloneThatItMayNotEnd) {
  const NodeId a = gpu_node("a");
  const NodeId b = gpu_node("b");
  running("train", 2, {a}, with_gpus("p", 8, 1));
  add(with_gpus("leader", 8, 1000).group("train"), b);
  submit(pod("single").request("nvidia.com/gpu", "8").priority(100));
  const Turn refused = turn();
  EXPECT_THAT(victims_of(refused), IsEmpty());
  EXPECT_FALSE(refused.pods[0].nominated.valid());
  EXPECT_THAT(said(refused.pods[0]), HasSubstr("preemption: No preemption victims found"));
}

TEST_F(VictimsTest, MembersOfABasicGroupMakeRoomOneByOne) {
  for (const char* name : {"a", "b", "c"}) add(with_gpus(std::string("low-") + name, 8), gpu_node(name));
  describe("basic", 0);
  submit(pod("p").request("nvidia.com/gpu", "8").priority(100), "basic", 4);
  last_ = turn();
  EXPECT_THAT(victims_of(last_), ElementsAre("low-a", "low-b", "low-c"));
  EXPECT_EQ(last_.verdict, Verdict::kWaitsForRoom);
  EXPECT_EQ(last_.hopeful, 3U);
  expect_start();
}

TEST_F(VictimsTest, SurplusMembersOfAGroupThatStartsMakeRoomToo) {
  gpu_node("free");
  add(with_gpus("low", 8), gpu_node("a"));
  describe("train", 1);
  submit(pod("p").request("nvidia.com/gpu", "8").priority(100), "train", 2);
  last_ = turn();
  EXPECT_EQ(last_.verdict, Verdict::kStarts);
  EXPECT_THAT(victims_of(last_), ElementsAre("low"));
  dispatcher().leaving(last_.pods[1].victims[0], decision::EvictionCause::kPreemption);
  dispatcher().capacity_freed();
  EXPECT_THAT(victims_of(turn()), IsEmpty()) << "they are leaving";
}

}  // namespace
}  // namespace loadline::gang

// Reservations through the dispatcher's turns: who is refused room that is held, and who gets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "brain/decision/why_text.h"
#include "brain/engine/testing/reservation_fixture.h"

namespace loadline::engine {
namespace {

using cluster::PodId;
using cluster::ReservationId;
using cluster::testing::pods_with;
using cluster::testing::spread_over;
using decision::CarriedOut;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::node;
using testing::NodeId;
using testing::pod;
using testing::selecting;

class ReservationTurns : public testing::ReservationFixture {};

TEST_F(ReservationTurns, HeldRoomIsOccupiedForOthersAndFreeForItsOwn) {
  cluster_.add_node(node("n"));
  const ReservationId room = reserve("train", 2, pod("p").request("cpu", "2"));
  settle();
  EXPECT_THAT(held(room), ElementsAre("n", "n"));
  const PodId stranger = add(wanting("web", 1));
  settle();
  EXPECT_EQ(node_of(stranger), "");
  EXPECT_THAT(decision::text(cluster_, turns_[stranger].why), HasSubstr("0/1 nodes are available: 1 Insufficient cpu"));

  const PodId own = add(wanting("train", 2));
  settle();
  EXPECT_EQ(node_of(own), "n") << "though the node is full";
  EXPECT_TRUE(turns_[own].decision.attempt.by_reservation);
  EXPECT_THAT(held(room), ElementsAre("n"));
  EXPECT_EQ(consumed(room), 1);
  EXPECT_EQ(node_of(stranger), "");
  EXPECT_EQ(cluster_.requested(NodeId{0}, cluster::kCpu), 4000);
}

/// No API server knows of a placeholder, so that nobody would ever confirm what it claims.
TEST_F(ReservationTurns, PlaceholdersClaimNothingOfAHost) {
  dispatcher_.emplace(cluster_, *placement::Scheduler::make(cluster_, registry(), kube::SchedulerConfiguration{}),
                      Refusals::kTold, CarriedOut::kByHost);
  cluster_.add_node(node("n"));
  const ReservationId room = reserve("train", 1, pod("p").request("cpu", "2"));
  const PodId stranger = add(wanting("web", 1));
  settle();
  EXPECT_EQ(dispatcher().claims_of(cluster_.reservations().at(room).placeholders.front()), nullptr);
  EXPECT_NE(dispatcher().claims_of(stranger), nullptr);
}

TEST_F(ReservationTurns, WhatAConsumerLeavesIsFree) {
  cluster_.add_node(node("n"));
  reserve("train", 1, pod("p").request("cpu", "4"));
  settle();
  const PodId stranger = add(wanting("web", 2));
  settle();
  EXPECT_EQ(node_of(stranger), "");
  const PodId small = add(wanting("train", 2));
  settle();
  EXPECT_EQ(node_of(small), "n");
  EXPECT_EQ(node_of(stranger), "n");
}

TEST_F(ReservationTurns, AConsumerThatIsTooLargeTakesWhatIsFreeBeside) {
  cluster_.add_node(node("n"));
  const ReservationId room = reserve("train", 1, pod("p").request("cpu", "2"));
  settle();
  const PodId too_large = add(wanting("train", 5));
  settle();
  EXPECT_EQ(node_of(too_large), "");
  const PodId larger = add(wanting("train", 4));
  settle();
  EXPECT_EQ(node_of(larger), "n");
  EXPECT_EQ(consumed(room), 1);
}

TEST_F(ReservationTurns, APodThatFitsNoReservedNodeGoesElsewhereAndUsesUpOneThatWaits) {
  const NodeId gpu = cluster_.add_node(node("gpu").label("gpu", "a100"));
  cluster_.add_node(node("plain"));
  const ReservationId room = reserve("train", 3, pod("p").request("cpu", "2").selects_nodes("gpu", "a100"));
  settle();
  EXPECT_THAT(held(room), ElementsAre("gpu", "gpu", ""));
  const PodId elsewhere = add(wanting("train", 1).selects_nodes("kubernetes.io/hostname", "plain"));
  settle();
  EXPECT_EQ(node_of(elsewhere), "plain");
  EXPECT_THAT(held(room), ElementsAre("gpu", "gpu")) << "it is for three pods, and one has a node";
  EXPECT_EQ(consumed(room), 1);
  const PodId another = add(wanting("train", 1).selects_nodes("kubernetes.io/hostname", "plain"));
  settle();
  EXPECT_EQ(node_of(another), "plain");
  EXPECT_EQ(consumed(room), 1) << "none waits: room that is held stays held";
  EXPECT_EQ(cluster_.requested(gpu, cluster::kCpu), 4000);
}

TEST_F(ReservationTurns, TheOldestReservationGoesFirst) {
  cluster_.add_node(node("a").allocatable("cpu", "1"));
  cluster_.add_node(node("b").allocatable("cpu", "1"));
  const ReservationId older = reserve("train", 1, pod("p").request("cpu", "1"));
  settle();
  const ReservationId younger = reserve("train", 1, pod("p").request("cpu", "1"));
  settle();
  ASSERT_THAT(held(older), ElementsAre("a"));
  ASSERT_THAT(held(younger), ElementsAre("b"));
  add(wanting("train", 1));
  settle();
  EXPECT_THAT(held(older), IsEmpty());
  EXPECT_THAT(held(younger), ElementsAre("b"));
}

TEST_F(ReservationTurns, HeldRoomIsNoVictim) {
  cluster_.add_node(node("n"));
  runs(pod("low").request("cpu", "1"), NodeId{0});
  const ReservationId room = reserve("train", 1, pod("p").request("cpu", "3"));
  settle();
  const PodId important = add(wanting("web", 2, 100));
  settle();
  EXPECT_EQ(node_of(important), "");
  EXPECT_THAT(victims_, IsEmpty()) << "without the low one alone it does not fit";
  EXPECT_THAT(held(room), ElementsAre("n"));
  const PodId smaller = add(wanting("web", 1, 100));
  settle();
  EXPECT_EQ(victims_.size(), 1U);
  EXPECT_TRUE(turns_[smaller].nominated.valid());
}

TEST_F(ReservationTurns, APlaceholderThatFailedSaysNothingOfAPodOfItsShape) {
  cluster_.add_node(node("n").allocatable("cpu", "1"));
  const ReservationId room = reserve("train", 2, pod("p").request("cpu", "1"));
  settle();
  EXPECT_THAT(held(room), ElementsAre("n", ""));
  const PodId waiting = cluster_.reservations().at(room).placeholders[1];
  EXPECT_THAT(decision::text(cluster_, turns_[waiting].why), HasSubstr("0/1 nodes are available: 1 Insufficient cpu"));
  const PodId same = add(pod("p").request("cpu", "1").label("app", "train").never_preempts());
  ASSERT_EQ(cluster_.pod(same).shape, cluster_.pod(waiting).shape);
  settle();
  EXPECT_EQ(node_of(same), "n");
}

TEST_F(ReservationTurns, AffinityCountsHeldRoom) {
  cluster_.add_node(node("a").zone("a"));
  cluster_.add_node(node("b").zone("b"));
  const ReservationId room =
      reserve("train", 1, pod("p").request("cpu", "1").selects_nodes("kubernetes.io/hostname", "a"));
  settle();
  ASSERT_THAT(held(room), ElementsAre("a"));
  const PodId away = add(wanting("web", 1).away_from(pods_with("app", "train", kZone)));
  const PodId near = add(wanting("log", 1).near(pods_with("app", "train", kZone)));
  settle();
  EXPECT_EQ(node_of(away), "b");
  EXPECT_EQ(node_of(near), "a");
  // A pod is not kept apart from the room that is held for it.
  const PodId own = add(wanting("train", 1).away_from(pods_with("app", "train", kZone)));
  settle();
  EXPECT_EQ(node_of(own), "a");
  EXPECT_EQ(consumed(room), 1);
}

TEST_F(ReservationTurns, SpreadCountsHeldRoom) {
  cluster_.add_node(node("a").zone("a"));
  cluster_.add_node(node("b").zone("b").allocatable("cpu", "2"));
  const ReservationId room =
      reserve("train", 2, pod("p").request("cpu", "1").selects_nodes("kubernetes.io/hostname", "a"));
  settle();
  ASSERT_THAT(held(room), ElementsAre("a", "a"));
  const auto even = [&] {
    const PodId id = add(wanting("web", 1).spread(
        spread_over(kZone, 1, kube::UnsatisfiableAction::kDoNotSchedule, selecting("app", "train"))));
    settle();
    return node_of(id);
  };
  EXPECT_EQ(even(), "b") << "zone a has two, zone b none";
  EXPECT_EQ(even(), "b");
  EXPECT_EQ(even(), "");
}

TEST_F(ReservationTurns, AGroupConsumesOnlyIfItStarts) {
  cluster_.add_node(node("n"));
  const ReservationId room = reserve("train", 2, pod("p").request("cpu", "2"));
  settle();
  ASSERT_THAT(held(room), ElementsAre("n", "n"));
  const cluster::Reservation before = cluster_.reservations().at(room);
  const auto member = [](const std::string& name, const std::string& group) {
    return pod(name).label("app", "train").request("cpu", "2").group(group);
  };
  cluster_.set_pod_group(group_of("three", 3));
  for (const char* name : {"a", "b", "c"}) add(member(name, "three"));
  settle();
  EXPECT_EQ(cluster_.reservations().at(room), before) << "two of three fit";
  EXPECT_EQ(cluster_.requested(NodeId{0}, cluster::kCpu), 4000);

  cluster_.set_pod_group(group_of("two", 2));
  const PodId first = add(member("d", "two"));
  const PodId second = add(member("e", "two"));
  settle();
  EXPECT_EQ(node_of(first), "n");
  EXPECT_EQ(node_of(second), "n");
  EXPECT_THAT(held(room), IsEmpty());
  EXPECT_EQ(consumed(room), 2);
}

TEST_F(ReservationTurns, DecidingAboutAConsumerChangesNothing) {
  cluster_.add_node(node("n"));
  const ReservationId room = reserve("train", 2, pod("p").request("cpu", "2").host_port(80));
  settle();
  ASSERT_THAT(held(room), ElementsAre("n", ""));
  const cluster::Reservation before = cluster_.reservations().at(room);
  const PodId own = cluster_.add_pod(wanting("train", 2).host_port(80));
  for (const placement::Detail detail : {placement::Detail::kDecision, placement::Detail::kFull}) {
    const placement::Decision decision = dispatcher().scheduler().decide(own, detail);
    EXPECT_EQ(decision.attempt.node, NodeId{0});
    EXPECT_TRUE(decision.attempt.by_reservation);
    EXPECT_EQ(decision.attempt.consumes, before.placeholders[0]);
  }
  EXPECT_EQ(cluster_.reservations().at(room), before);
  EXPECT_EQ(cluster_.requested(NodeId{0}, cluster::kCpu), 2000);
}

}  // namespace
}  // namespace loadline::engine

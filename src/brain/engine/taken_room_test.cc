// Reserved room that a pod has taken, until its host says what became of that: how it comes back, and how it is
// consumed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "brain/engine/testing/reservation_fixture.h"
#include "brain/placement/reserved_nodes.h"

namespace loadline::engine {
namespace {

using cluster::PodId;
using cluster::ReservationId;
using decision::CarriedOut;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::node;
using testing::NodeId;
using testing::pod;
using testing::PodBuilder;
using testing::selecting;

/// Room that a pod has taken, of which no host has said yet that it is so.
class TakenRoomTurns : public testing::ReservationFixture {
 protected:
  TakenRoomTurns() {
    dispatcher_.emplace(cluster_, *placement::Scheduler::make(cluster_, registry(), kube::SchedulerConfiguration{}),
                        Refusals::kTold, CarriedOut::kByHost);
    asked_.metadata.name = "room";
    asked_.selector = selecting("app", "train");
    room_ = keeper().open(asked_, 0);
  }
  ReservationKeeper& keeper() { return dispatcher().keeper(); }
  void keep(const std::string& cpus, std::size_t pods) {
    PodBuilder shape = pod("p").label("app", "train").request("cpu", cpus);
    keeper().keep(room_, asked_, {{"", shape.never_preempts().build(), pods}});
  }
  PodId consume() {
    const PodId consumer = add(wanting("train", 2));
    settle();
    EXPECT_EQ(turns_[consumer].reservation, room_);
    return consumer;
  }
  void release(PodId consumer) {
    dispatcher().release(consumer);
    cluster_.remove_pod(consumer);
    settle();
  }

  kube::Reservation asked_;
  ReservationId room_;
};

TEST_F(TakenRoomTurns, ComesBackWithThePod) {
  cluster_.add_node(node("n"));
  keep("2", 2);
  settle();
  const std::vector<PodId> before = cluster_.reservations().at(room_).placeholders;
  const PodId consumer = consume();
  EXPECT_THAT(held(room_), ElementsAre("n"));
  EXPECT_EQ(keeper().nodes_of(room_).at("n"), 2) << "what may come back is told as held";
  release(consumer);
  EXPECT_EQ(cluster_.reservations().at(room_).placeholders, before);
  EXPECT_EQ(consumed(room_), 0);
}

TEST_F(TakenRoomTurns, ComesBackAsItIsAskedForByThen) {
  cluster_.add_node(node("n"));
  keep("2", 1);
  settle();
  const PodId consumer = consume();
  keeper().drop_placeholders(room_);
  keep("3", 1);
  release(consumer);
  EXPECT_THAT(held(room_), ElementsAre("n"));
  EXPECT_EQ(cluster_.requested(NodeId{0}, cluster::kCpu), 3000);
}

TEST_F(TakenRoomTurns, DoesNotComeBackWhereNoneIsHeldAnyMore) {
  cluster_.add_node(node("n"));
  keep("2", 1);
  settle();
  const PodId consumer = consume();
  const PodId other = cluster_.add_pod(wanting("train", 2));
  keeper().keep(room_, asked_, keeper().at(room_).rooms);
  EXPECT_FALSE(placement::may_use_reserved_room(cluster_, other)) << "all of it is taken";
  keeper().let_go(room_);
  release(consumer);
  EXPECT_FALSE(placement::may_use_reserved_room(cluster_, other));
  cluster_.remove_pod(other);
  EXPECT_THAT(held(room_), IsEmpty());
  EXPECT_EQ(cluster_.pod_count(), 0U);
}

TEST_F(TakenRoomTurns, IsConsumedOnceThatIsAFact) {
  cluster_.add_node(node("n"));
  keep("2", 2);
  settle();
  const PodId consumer = consume();
  dispatcher().confirm(consumer);
  EXPECT_EQ(keeper().at(room_).consumed, 1);
  EXPECT_EQ(cluster_.pod_count(), 2U) << "the placeholder is gone";
  keep("2", 2);
  EXPECT_EQ(cluster_.reservations().at(room_).placeholders.size(), 1U);
}

TEST_F(TakenRoomTurns, OfANodeThatIsFullByNowIsHeldOnTheNextThatWasNamed) {
  runs(wanting("other", 4), cluster_.add_node(node("a")));
  cluster_.add_node(node("b"));
  asked_.status.nodes = {{"a", 1}, {"b", 1}};
  keep("2", 1);
  EXPECT_THAT(held(room_), ElementsAre("b")) << "at once, before anybody else has a turn";
}

TEST_F(TakenRoomTurns, IsThatOfAGangThatIsPlacedInOneDomain) {
  cluster_.add_node(node("n").allocatable("cpu", "2").zone("z"));
  cluster_.add_node(node("m").allocatable("cpu", "8").zone("y"));
  PodBuilder nowhere = pod("p").label("app", "train").request("cpu", "2").selects_nodes("no", "where");
  keeper().keep(room_, asked_, {{"", nowhere.never_preempts().build(), 2}});
  settle();
  EXPECT_THAT(held(room_), ElementsAre("", ""));
  cluster_.set_pod_group(group_of("gang", 2));
  std::vector<PodId> members;
  for (int i = 0; i < 2; ++i) {
    PodBuilder member = wanting("train", 2).group("gang");
    member.pod().metadata.name += std::to_string(i);
    member.pod().metadata.annotations["kueue.x-k8s.io/podset-required-topology"] = kZone;
    members.push_back(add(member));
  }
  cluster::TopologySpec zones;
  zones.levels = {{kZone, {}}};
  cluster_.set_topology("default", zones);
  settle();
  for (const PodId member : members) {
    EXPECT_EQ(node_of(member), "m");
    EXPECT_EQ(turns_[member].reservation, room_);
    dispatcher().confirm(member);
  }
  EXPECT_EQ(keeper().at(room_).consumed, 2);
  keeper().close(room_);
  EXPECT_EQ(cluster_.pod_count(), 2U) << "no placeholder is left behind";
}

}  // namespace
}  // namespace loadline::engine

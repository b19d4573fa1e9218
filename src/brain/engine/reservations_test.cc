// Reservations through the dispatcher's turns: who is refused room that is held, and who gets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/testing/node_builder.h"
#include "brain/cluster/testing/pod_builder.h"
#include "brain/decision/why_text.h"
#include "brain/engine/dispatcher.h"
#include "brain/engine/registry.h"
#include "brain/placement/reserved_nodes.h"

namespace loadline::engine {

using decision::CarriedOut;
using decision::PodTurn;
using decision::Unit;

namespace {

using cluster::NodeId;
using cluster::PodId;
using cluster::ReservationId;
using cluster::testing::node;
using cluster::testing::pod;
using cluster::testing::PodBuilder;
using cluster::testing::pods_with;
using cluster::testing::selecting;
using cluster::testing::spread_over;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kZone = "topology.kubernetes.io/zone";

class ReservationTurns : public ::testing::Test {
 protected:
  /// Waits for its turn.
  PodId add(const PodBuilder& builder) {
    const PodId id = cluster_.add_pod(builder);
    dispatcher().add(id);
    return id;
  }
  PodId runs(const PodBuilder& builder, NodeId where) {
    const PodId id = cluster_.add_pod(builder);
    cluster_.place(id, where);
    return id;
  }
  /// Room for so many pods of the label app=APP, which waits for its turn.
  ReservationId reserve(const std::string& app, int pods, PodBuilder shape) {
    kube::Reservation asked;
    asked.metadata.name = "room-for-" + app;
    asked.selector = selecting("app", app);
    const ReservationId id = dispatcher().keeper().open(asked, 0);
    shape.label("app", app).never_preempts();
    dispatcher().keeper().keep(id, asked, {{"", shape.build(), static_cast<std::size_t>(pods)}});
    return id;
  }
  static PodBuilder wanting(const std::string& app, int cpus, std::int32_t priority = 0) {
    return pod(app).label("app", app).request("cpu", std::to_string(cpus)).priority(priority);
  }

  static kube::PodGroup group_of(const std::string& name, std::int32_t min_count) {
    kube::PodGroup group;
    group.metadata.namespace_ = "default";
    group.metadata.name = name;
    group.policy.min_count = min_count;
    return group;
  }

  /// Takes all turns, as a host does.
  void settle() {
    while (const std::optional<Unit> next = dispatcher().next()) {
      for (PodTurn& turn : dispatcher().take(*next).pods) {
        for (const PodId victim : turn.victims) victims_.push_back(victim);
        turns_[turn.pod] = std::move(turn);
      }
    }
  }
  [[nodiscard]] std::string node_of(PodId id) const {
    const NodeId at = cluster_.pod(id).node;
    return at.valid() ? std::string(cluster_.node_name(at)) : "";
  }
  [[nodiscard]] std::vector<std::string> held(ReservationId id) const {
    std::vector<std::string> nodes;
    for (const PodId placeholder : cluster_.reservations().at(id).placeholders) nodes.push_back(node_of(placeholder));
    return nodes;
  }
  [[nodiscard]] std::int32_t consumed(ReservationId id) const { return cluster_.reservations().at(id).consumed; }

  Dispatcher& dispatcher() {
    if (!dispatcher_) {
      dispatcher_.emplace(cluster_, *placement::Scheduler::make(cluster_, registry(), kube::SchedulerConfiguration{}));
    }
    return *dispatcher_;
  }

  cluster::Cluster cluster_;
  std::optional<Dispatcher> dispatcher_;
  std::map<PodId, PodTurn> turns_;
  std::vector<PodId> victims_;
};

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

/// Room that a pod has taken, of which no host has said yet that it is so.
class TakenRoomTurns : public ReservationTurns {
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

/// A gang of two in rack r1, and room for replacements in both racks: on n3 of r1, and n4 of r2.
class SpareTurns : public ReservationTurns {
 protected:
  SpareTurns() {
    for (const char* name : {"n1", "n2", "n3", "n4"}) {
      cluster_.add_node(node(name)
                            .allocatable("cpu", "2")
                            .allocatable("pods", "10")
                            .label("kubernetes.io/hostname", name)
                            .label("rack", std::string(name) == "n4" ? "r2" : "r1"));
    }
    cluster_.set_pod_group(group_of("gang", 2));
    first_ = runs(wanting("train", 2, 2000).group("gang"), NodeId{0});
    cluster_.set_group_started(cluster_.pod(first_).group);
    asked_.metadata.name = "spares";
    asked_.selector = selecting("app", "train");
    asked_.purpose = kube::ReservationPurpose::kReplacements;
    asked_.per_domain = "rack";
    asked_.refill = true;
    spares_ = dispatcher().keeper().open(asked_, 0);
  }
  /// One placeholder in each of these racks, which holds room on the node, or waits if that is empty.
  void hold(const std::map<std::string, std::string>& nodes, const std::string& cpus = "2") {
    std::vector<workloads::DomainRoom> rooms;
    for (const auto& [rack, node] : nodes) {
      PodBuilder spare = pod("spare").label("app", "train").request("cpu", cpus).never_preempts();
      rooms.push_back({rack, spare.selects_nodes("rack", rack).build(), 1});
      if (!node.empty()) asked_.status.nodes.push_back({node, 1});
    }
    dispatcher().keeper().keep(spares_, asked_, rooms);
  }

  PodId first_;
  kube::Reservation asked_;
  ReservationId spares_;
};

TEST_F(SpareTurns, GoToAPodThatCompletesABrokenGroupInItsDomain) {
  hold({{"r1", "n3"}, {"r2", "n4"}});
  const PodId lost = add(wanting("train", 2).group("gang"));
  settle();
  EXPECT_EQ(node_of(lost), "n3");
  EXPECT_EQ(consumed(spares_), 1);
  EXPECT_THAT(held(spares_), ElementsAre("n4", "n2")) << "what was consumed is held anew";
}

TEST_F(SpareTurns, OfAnotherDomainAreLeftAlone) {
  hold({{"r2", "n4"}});
  const PodId lost = add(wanting("train", 2).group("gang"));
  settle();
  EXPECT_THAT(node_of(lost), ::testing::AnyOf("n2", "n3"));
  EXPECT_EQ(consumed(spares_), 0);
}

TEST_F(SpareTurns, AreNotForPodsThatReplaceNobody) {
  runs(wanting("other", 2, 2000), NodeId{1});
  hold({{"r1", "n3"}, {"r2", "n4"}});
  cluster_.set_pod_group(group_of("new", 2));
  const PodId plain = add(wanting("train", 2, 1000));
  const PodId starts = add(wanting("train", 2, 1000).group("new"));
  const PodId with_it = add(wanting("train", 2, 1000).group("new"));
  settle();
  for (const PodId each : {plain, starts, with_it}) EXPECT_EQ(node_of(each), "");
  EXPECT_EQ(consumed(spares_), 0);
  EXPECT_THAT(victims_, IsEmpty());
}

TEST_F(SpareTurns, AreNotForMembersAboveTheMinimum) {
  runs(wanting("train", 2).group("gang"), NodeId{1});
  hold({{"r1", "n3"}, {"r2", "n4"}});
  const PodId more = add(wanting("train", 2).group("gang"));
  settle();
  EXPECT_EQ(node_of(more), "");
  EXPECT_EQ(consumed(spares_), 0);
}

TEST_F(SpareTurns, ThatWaitForRoomAreNotTakenAlongByAPodThatFindsAPlace) {
  hold({{"r1", ""}}, "4");
  const PodId lost = add(wanting("train", 2).group("gang"));
  settle();
  EXPECT_NE(node_of(lost), "");
  EXPECT_EQ(consumed(spares_), 0);
  EXPECT_THAT(held(spares_), ElementsAre(""));
}

}  // namespace
}  // namespace loadline::engine

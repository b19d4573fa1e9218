// Room that is held for replacements: it is for pods that make a broken group whole again, in their own domain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "brain/engine/testing/reservation_fixture.h"

namespace loadline::engine {
namespace {

using cluster::PodId;
using cluster::ReservationId;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::node;
using testing::NodeId;
using testing::pod;
using testing::PodBuilder;
using testing::selecting;

/// A gang of two in rack r1, and room for replacements in both racks: on n3 of r1, and n4 of r2.
class SpareTurns : public testing::ReservationFixture {
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

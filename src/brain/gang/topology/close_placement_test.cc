// Where groups go that are to be near each other, decided by the dispatcher as in a plan.
#include "brain/gang/topology/close_placement.h"

#include <gmock/gmock.h>

#include "brain/gang/testing/topology_fixture.h"

namespace loadline::gang {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::pod;
using testing::PodId;
using Spots = std::map<std::string, int>;

class ClosePlacementTest : public testing::TopologyFixture {
 protected:
  /// Two blocks; racks of 8, 4, 6 and 16 GPUs.
  void add_racks() {
    add_node("a1", "b1", "r1", 4);
    add_node("a2", "b1", "r1", 4);
    add_node("c1", "b1", "r2", 4);
    add_node("d1", "b2", "r1", 6);
    add_node("e1", "b2", "r3", 8);
    add_node("e2", "b2", "r3", 8);
    use_topology();
  }
};

TEST_F(ClosePlacementTest, TheSmallestDomainThatHoldsTheGroupIsTaken) {
  add_racks();
  const std::vector<PodId> four = submit_gang("four", required("rack"), 4);
  const std::vector<PodId> five = submit_gang("five", required("rack"), 5);
  const std::vector<PodId> eight = submit_gang("eight", required("rack"), 8);
  take_turns();
  EXPECT_EQ(spots(four), (Spots{{"c1", 4}}));
  EXPECT_EQ(spots(five), (Spots{{"d1", 5}}));
  EXPECT_EQ(spots(eight), (Spots{{"a1", 4}, {"a2", 4}}));
}

TEST_F(ClosePlacementTest, WithoutARoomyDomainARequiredLevelRefuses) {
  add_racks();
  const std::vector<PodId> gang = submit_gang("gang", required("rack"), 17);
  EXPECT_EQ(refusal(),
            "pod group is unschedulable, none of 4 domains of \"example.com/rack\" has room for its 17 pods: the best, "
            "b2/r3, has room for 16");
  EXPECT_EQ(placed(gang), 0U);
}

TEST_F(ClosePlacementTest, APreferredLevelIsLeftForTheNextBroaderOne) {
  add_racks();
  const std::vector<PodId> twelve = submit_gang("twelve", preferred("rack"), 12);
  take_turns();
  EXPECT_EQ(spots(twelve), (Spots{{"e1", 8}, {"e2", 4}})) << "r3 holds it, b1 would, too";
  const std::vector<PodId> eleven = submit_gang("eleven", preferred("rack"), 11);
  take_turns();
  EXPECT_EQ(spots(eleven), (Spots{{"a1", 4}, {"a2", 4}, {"c1", 3}})) << "no rack holds it, so a block does";
  const std::vector<PodId> nine = submit_gang("nine", preferred("rack"), 9);
  take_turns();
  EXPECT_EQ(spots(nine), (Spots{{"d1", 6}, {"e2", 3}}));
}

TEST_F(ClosePlacementTest, APreferenceGoesUpToWhatIsRequired) {
  add_racks();
  submit_gang("gang", preferred("rack", "block"), 23);
  EXPECT_THAT(refusal(), HasSubstr("none of 2 domains of \"example.com/block\" has room for its 23 pods: the best, b2, "
                                   "has room for 22"));
  const std::vector<PodId> gang = submit_gang("smaller", preferred("rack", "block"), 22);
  take_turns();
  EXPECT_EQ(placed(gang), 22U);
}

TEST_F(ClosePlacementTest, APreferenceAloneNeverKeepsAGroupFromStarting) {
  add_racks();
  add_node("f1", "", "", 3);
  const std::vector<PodId> gang = submit_gang("gang", preferred("rack"), 37);
  take_turns();
  EXPECT_EQ(placed(gang), 37U);
}

TEST_F(ClosePlacementTest, RacksOfOneNameInTwoBlocksAreTwo) {
  add_node("a", "b1", "r1", 2);
  add_node("b", "b2", "r1", 2);
  use_topology();
  submit_gang("gang", required("rack"), 4);
  EXPECT_THAT(refusal(), HasSubstr("none of 2 domains"));
}

TEST_F(ClosePlacementTest, ABareLabelIsFlatAsInKubernetes) {
  add_node("a", "b1", "r1", 2);
  add_node("b", "b2", "r1", 2);
  add_node("c", "b2", "", 4);
  kube::PodGroup group;
  group.metadata.namespace_ = "default";
  group.metadata.name = "gang";
  group.policy.min_count = 4;
  group.topology = {{kRack}};
  cluster_.set_pod_group(group);
  const std::vector<PodId> gang = submit(member(), "gang", 4);
  take_turns();
  EXPECT_EQ(spots(gang), (Spots{{"a", 2}, {"b", 2}})) << "the value alone counts; c has none";
  group.metadata.name = "large";
  cluster_.set_pod_group(group);
  submit(member(), "large", 4);
  EXPECT_THAT(refusal(), HasSubstr("0/1 placements are available, first placement status: pod group is unschedulable"));
}

TEST_F(ClosePlacementTest, NodesWithoutTheLabelAreOutsideTheLevel) {
  add_node("a", "b1", "", 8);
  add_node("b", "b1", "r1", 2);
  use_topology();
  submit_gang("gang", required("rack"), 4);
  EXPECT_THAT(refusal(), HasSubstr("none of 1 domains of \"example.com/rack\""));
  const std::vector<PodId> gang = submit_gang("block", required("block"), 10);
  take_turns();
  EXPECT_EQ(placed(gang), 10U);
}

TEST_F(ClosePlacementTest, SlicesAreNotDivided) {
  add_node("a", "b1", "r1", 5);
  add_node("b", "b1", "r2", 7);
  add_node("c", "b2", "r1", 3);
  use_topology();
  const std::vector<PodId> gang = submit_gang("gang", slices(4, "rack"), 8);
  take_turns();
  EXPECT_EQ(spots(gang), (Spots{{"a", 4}, {"b", 4}}));
  submit_gang("more", slices(4, "rack"), 4);
  EXPECT_THAT(refusal(), HasSubstr("in 0 slices of 4 within \"example.com/rack\""));
  const std::vector<PodId> small = submit_gang("small", slices(3, "rack", "block"), 3);
  take_turns();
  EXPECT_EQ(spots(small), (Spots{{"c", 3}})) << "3 are left in r2 and r1 of b2; b2 has less room";
}

TEST_F(ClosePlacementTest, AReplacedMemberGoesWhereItsGangIs) {
  add_racks();
  const std::vector<PodId> gang = submit_gang("gang", required("rack"), 6);
  take_turns();
  ASSERT_EQ(spots(gang), (Spots{{"d1", 6}}));
  cluster_.remove_pod(gang[0]);
  const PodId other = add(pod("other").request("nvidia.com/gpu", "1"), cluster_.find_node("d1"));
  const PodId replacement = submit(member(required("rack")).group("gang"));
  EXPECT_THAT(refusal(), HasSubstr("none of 1 domains of \"example.com/rack\" has room for any of its 1 pod"));
  cluster_.remove_pod(other);
  dispatcher().capacity_freed();
  take_turns();
  EXPECT_EQ(cluster_.node_name(cluster_.pod(replacement).node), "d1");
}

TEST_F(ClosePlacementTest, AGroupThatIsSpreadAlreadyIsRefused) {
  add_racks();
  describe("gang", 3);
  add(member(required("rack")).group("gang"), cluster_.find_node("a1"));
  add(member(required("rack")).group("gang"), cluster_.find_node("d1"));
  submit(member(required("rack")).group("gang"));
  EXPECT_EQ(refusal(), "pod group is unschedulable, more than 1 domain found for pod group: b1/r1, b2/r1");
}

TEST_F(ClosePlacementTest, APreferenceKeepsReplacementsAsNearAsCanBe) {
  add_racks();
  describe("gang", 1);
  add(member(preferred("rack")).group("gang"), cluster_.find_node("c1"));
  add(member(preferred("rack")).group("gang"), cluster_.find_node("a1"));
  const PodId third = submit(member(preferred("rack")).group("gang"));
  take_turns();
  EXPECT_EQ(cluster_.node_name(cluster_.pod(third).node), "c1") << "in the block of the others, and best fit";
}

TEST_F(ClosePlacementTest, OnlyTheMinimumHasToFit) {
  add_racks();
  describe("gang", 10);
  const std::vector<PodId> gang = submit(member(required("rack")), "gang", 20);
  take_turns();
  EXPECT_EQ(spots(gang), (Spots{{"e1", 8}, {"e2", 8}}));
}

TEST_F(ClosePlacementTest, LeaderAndWorkersShareADomain) {
  add_racks();
  describe("gang", 5);
  std::vector<PodId> gang = submit(member(required("rack")), "gang", 4);
  gang.push_back(submit(member(required("rack"), 3).group("gang")));
  take_turns();
  EXPECT_EQ(spots(gang), (Spots{{"a1", 1}, {"a2", 4}})) << "7 GPUs: r1 of b1 has 8";
}

TEST_F(ClosePlacementTest, PodsThatKeepApartGoToOneNodeEach) {
  add_racks();
  describe("gang", 2);
  kube::PodAffinityTerm apart;
  apart.topology_key = kHost;
  apart.label_selector = kube::LabelSelector{};
  apart.label_selector->match_labels["app"] = "x";
  const std::vector<PodId> gang = submit(member(required("rack")).label("app", "x").away_from(apart), "gang", 2);
  take_turns();
  EXPECT_EQ(spots(gang), (Spots{{"a1", 1}, {"a2", 1}}));
}

TEST_F(ClosePlacementTest, AnUnknownLevelNamesTheNearest) {
  add_racks();
  submit_gang("gang", required("example.com/rak"), 2);
  EXPECT_THAT(refusal(),
              HasSubstr("no topology has the level \"example.com/rak\"; did you mean \"example.com/rack\"?"));
}

TEST_F(ClosePlacementTest, PodsThatDisagreeAreRefused) {
  add_racks();
  describe("gang", 2);
  submit(member(required("rack")).group("gang"));
  submit(member(required("block")).group("gang"));
  EXPECT_THAT(refusal(), HasSubstr("annotations of its pods ask for different topologies"));
}

}  // namespace
}  // namespace loadline::gang

// Puzzles whose answers are known: which placements the search finds where members in their order miss them, what it
// proves, and what a group's turn makes of that.
#include "brain/gang/search/group_search.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "brain/engine/testing/dispatcher_fixture.h"

namespace loadline::gang {
namespace {

using cluster::testing::label_in;
using cluster::testing::pods_with;
using cluster::testing::selecting;
using cluster::testing::spread_over;
using decision::Turn;
using engine::testing::node;
using engine::testing::NodeId;
using engine::testing::pod;
using engine::testing::PodBuilder;
using engine::testing::PodId;
using ::testing::SizeIs;

constexpr const char* kGpu = "nvidia.com/gpu";
constexpr const char* kRack = "rack";
constexpr const char* kHostname = "kubernetes.io/hostname";

class GroupSearchTest : public engine::testing::DispatcherFixture {
 protected:
  NodeId gpu_node(const std::string& name, int gpus, const std::string& rack = "r") {
    return add(node(name).allocatable(kGpu, std::to_string(gpus)).allocatable("cpu", "64").label(kRack, rack));
  }
  static PodBuilder worker(const std::string& name, int gpus) {
    return pod(name).request(kGpu, std::to_string(gpus)).request("cpu", "8").group("train").label("app", "train");
  }
  GroupSearch search(const std::vector<PodId>& members, std::int64_t least, std::uint64_t budget = kSearchBudget) {
    return search_group(cluster_, scheduler(), {members, least, {}}, cluster_.nodes(), budget);
  }
  std::vector<PodId> add_all(const std::vector<PodBuilder>& builders) {
    std::vector<PodId> pods;
    for (const PodBuilder& builder : builders) pods.push_back(add(builder));
    return pods;
  }
  Turn only_turn() {
    std::vector<Turn> turns = take_turns();
    EXPECT_THAT(turns, SizeIs(1));
    return std::move(turns.front());
  }
};

// ---- what is found --------------------------------------------------------------------------------------------------

TEST_F(GroupSearchTest, TheLargestMemberMayBeTheLastInOrder) {
  gpu_node("a", 8);
  gpu_node("b", 8);
  const std::vector<PodId> members = add_all({worker("p0", 4), worker("p1", 4), worker("p2", 8)});
  const GroupSearch found = search(members, 3);
  EXPECT_EQ(found.report.ending, SearchEnding::kFound);
  EXPECT_THAT(found.places, SizeIs(3));
}

TEST_F(GroupSearchTest, TwoDimensionsHaveToBeBalanced) {
  // Only a big CPU pod with a big GPU pod fills a node.
  for (const char* name : {"a", "b"}) add(node(name).allocatable("cpu", "10").allocatable(kGpu, "10"));
  const auto kind = [](const std::string& name, const char* cpu, const char* gpu) {
    return pod(name).request("cpu", cpu).request(kGpu, gpu);
  };
  const std::vector<PodId> members =
      add_all({kind("p0", "7", "3"), kind("p1", "6", "4"), kind("p2", "3", "7"), kind("p3", "4", "6")});
  EXPECT_EQ(search(members, 4).report.ending, SearchEnding::kFound);
}

TEST_F(GroupSearchTest, TheRackIsChosenInWhichAllOfThemFit) {
  gpu_node("a1", 8, "a");
  gpu_node("b1", 4, "b");
  gpu_node("b2", 8, "b");
  gpu_node("b3", 4, "b");
  std::vector<PodBuilder> builders;
  for (int i = 0; i < 4; ++i) {
    builders.push_back(worker("p" + std::to_string(i), 4).near(pods_with("app", "train", kRack)));
  }
  const std::vector<PodId> members = add_all(builders);
  const GroupSearch found = search(members, 4);
  ASSERT_EQ(found.report.ending, SearchEnding::kFound);
  for (const Place& place : found.places) EXPECT_NE(cluster_.node_name(place.node), "a1");
}

TEST_F(GroupSearchTest, ALauncherMayComeAfterTheWorkersThatItFollows) {
  gpu_node("a", 8);
  gpu_node("b", 8);
  const std::vector<PodId> members =
      add_all({pod("launcher").request("cpu", "1").near(pods_with("app", "train", kHostname)), worker("p1", 8)});
  const GroupSearch found = search(members, 2);
  ASSERT_EQ(found.report.ending, SearchEnding::kFound);
  EXPECT_EQ(found.places[0].pod, members[1]);
  EXPECT_EQ(found.places[0].node, found.places[1].node);
}

TEST_F(GroupSearchTest, MembersThatMayStayOutLetTheOthersFit) {
  gpu_node("a", 8);
  const std::vector<PodId> members = add_all({worker("p0", 6), worker("p1", 4), worker("p2", 4)});
  const GroupSearch found = search(members, 2);
  ASSERT_EQ(found.report.ending, SearchEnding::kFound);
  EXPECT_THAT(found.places, SizeIs(2));
}

TEST_F(GroupSearchTest, NodesAreFilledToTheLastUnit) {
  for (int n = 0; n < 10; ++n) add(node("n" + std::to_string(n)).allocatable("cpu", "50").allocatable(kGpu, "8"));
  struct Role {
    int gpus, cpus, count;
  };
  // Cut from the ten nodes.
  const std::vector<Role> roles = {{3, 19, 6}, {2, 12, 3}, {2, 22, 3}, {2, 9, 7}, {1, 3, 3},
                                   {3, 16, 3}, {1, 11, 4}, {1, 8, 8},  {3, 14, 4}};
  std::vector<PodId> members;
  for (const Role& role : roles) {
    for (int i = 0; i < role.count; ++i) {
      members.push_back(add(pod("p" + std::to_string(members.size()))
                                .request("cpu", std::to_string(role.cpus))
                                .request(kGpu, std::to_string(role.gpus))));
    }
  }
  const auto all = static_cast<std::int64_t>(members.size());
  const GroupSearch found = search(members, all);
  EXPECT_EQ(found.report.ending, SearchEnding::kFound);
  EXPECT_THAT(found.places, SizeIs(members.size()));
  members.push_back(add(pod("one-more").request("cpu", "1")));
  EXPECT_EQ(search(members, all + 1).report.ending, SearchEnding::kProven);
}

// ---- what is proven -------------------------------------------------------------------------------------------------

TEST_F(GroupSearchTest, OneKindIsCounted) {
  gpu_node("a", 7);
  gpu_node("b", 7);
  std::vector<PodBuilder> builders;
  for (int i = 0; i < 4; ++i) builders.push_back(worker("p" + std::to_string(i), 3));
  const std::vector<PodId> members = add_all(builders);
  EXPECT_EQ(search(members, 4).report.ending, SearchEnding::kFound);
  const PodId more = add(worker("p4", 3));
  std::vector<PodId> five = members;
  five.push_back(more);
  const SearchReport report = search(five, 5).report;
  EXPECT_EQ(report.ending, SearchEnding::kProven);
  EXPECT_EQ(report.proof, (SearchProof{SearchProof::Cause::kAlone, {{"p0", 5}}, "", 5, 4, 2}));
}

TEST_F(GroupSearchTest, MembersThatDifferInALabelThatNobodySeesAreOneKind) {
  gpu_node("a", 8);
  std::vector<PodBuilder> builders;
  for (int i = 0; i < 3; ++i) builders.push_back(worker("p" + std::to_string(i), 4).label("index", std::to_string(i)));
  const SearchReport report = search(add_all(builders), 3).report;
  EXPECT_EQ(report.proof, (SearchProof{SearchProof::Cause::kAlone, {{"p0", 3}}, "", 3, 2, 1}));
}

TEST_F(GroupSearchTest, ALabelThatAnotherMemberAvoidsCounts) {
  gpu_node("a", 8);
  gpu_node("b", 4);
  const std::vector<PodId> members = add_all({worker("p0", 4).label("index", "0"), worker("p1", 4).label("index", "1"),
                                              worker("p2", 4).away_from(pods_with("index", "0", kHostname))});
  const GroupSearch found = search(members, 3);
  ASSERT_EQ(found.report.ending, SearchEnding::kFound);
  const std::vector<PodId> more =
      add_all({worker("q0", 4).label("index", "2"), worker("q1", 4).away_from(pods_with("app", "train", kHostname)),
               worker("q2", 4).label("index", "3")});
  EXPECT_EQ(search(more, 3).report.ending, SearchEnding::kFound);
  cluster_.place(add(worker("there", 4)), NodeId{1});
  EXPECT_EQ(search(more, 3).report.ending, SearchEnding::kProven);
}

TEST_F(GroupSearchTest, KindsThatCompeteForTheSameNodesAreNamed) {
  for (const char* name : {"a", "b", "c"}) gpu_node(name, 8, "small");
  gpu_node("d", 8, "other");
  const auto on_small = [](const std::string& name, int gpus) {
    return worker(name, gpus).requires_nodes(label_in(kRack, {"small"}));
  };
  const std::vector<PodId> members =
      add_all({on_small("p0", 5), on_small("p1", 5), on_small("q0", 6), on_small("q1", 6), worker("r", 1)});
  const SearchReport report = search(members, 5).report;
  EXPECT_EQ(report.ending, SearchEnding::kProven);
  EXPECT_EQ(report.proof, (SearchProof{SearchProof::Cause::kShared, {{"p0", 2}, {"q0", 2}}, "", 4, 3, 3}));
}

TEST_F(GroupSearchTest, SumsAreProof) {
  for (const char* name : {"a", "b"}) gpu_node(name, 8);
  const std::vector<PodId> members = add_all({worker("p", 5), worker("q", 6), worker("r", 2), worker("s", 4)});
  const SearchReport report = search(members, 4).report;
  EXPECT_EQ(report.ending, SearchEnding::kProven);
  EXPECT_EQ(report.proof.cause, SearchProof::Cause::kSum);
  EXPECT_EQ(report.proof.resource, kGpu);
  EXPECT_EQ(report.proof.needed, 17);
  EXPECT_EQ(report.proof.available, 16);
}

TEST_F(GroupSearchTest, WhatNoBoundTellsIsTried) {
  for (const char* name : {"a", "b"}) gpu_node(name, 10);
  // 20 of 20, but neither node can be filled to the brim.
  const std::vector<PodId> members = add_all({worker("p", 9), worker("q", 4), worker("r", 4), worker("s", 3)});
  const SearchReport report = search(members, 4).report;
  EXPECT_EQ(report.ending, SearchEnding::kProven);
  EXPECT_EQ(report.proof.cause, SearchProof::Cause::kTried);
  EXPECT_GT(report.steps, 0U);
}

TEST_F(GroupSearchTest, ABudgetThatIsTooSmallProvesNothing) {
  for (const char* name : {"a", "b"}) gpu_node(name, 10);
  const std::vector<PodId> members = add_all({worker("p", 9), worker("q", 4), worker("r", 4), worker("s", 3)});
  const GroupSearch ended = search(members, 4, 1);
  EXPECT_EQ(ended.report.ending, SearchEnding::kBudget);
  EXPECT_TRUE(ended.places.empty());
}

TEST_F(GroupSearchTest, RoomForANominatedPodIsNotTaken) {
  const NodeId a = gpu_node("a", 8);
  gpu_node("b", 8);
  const PodId hopeful = add(pod("hopeful").request(kGpu, "4").priority(5));
  cluster_.nominate(hopeful, a);
  const std::vector<PodId> members = add_all({worker("p0", 4), worker("p1", 8)});
  EXPECT_EQ(search(members, 2).report.ending, SearchEnding::kFound);
  const std::vector<PodId> more = add_all({worker("q0", 8), worker("q1", 8)});
  EXPECT_EQ(search(more, 2).report.ending, SearchEnding::kProven);
}

// ---- turns ----------------------------------------------------------------------------------------------------------

TEST_F(GroupSearchTest, AGroupStartsWhereASearchFindsRoom) {
  gpu_node("a", 8);
  gpu_node("b", 8);
  describe("train", 3);
  std::vector<PodId> gang;
  for (const PodBuilder& member : {worker("p0", 4), worker("p1", 4), worker("p2", 8)}) gang.push_back(submit(member));
  const Turn turn = only_turn();
  EXPECT_EQ(turn.verdict, Verdict::kStarts);
  ASSERT_TRUE(turn.search);
  EXPECT_EQ(turn.search->ending, SearchEnding::kFound);
  EXPECT_EQ(placed(gang), 3U);
}

TEST_F(GroupSearchTest, UnderParityItDoesNot) {
  dispatcher().set_switches({.placement = GroupPlacement::kInOrder});
  gpu_node("a", 8);
  gpu_node("b", 8);
  describe("train", 3);
  std::vector<PodId> gang;
  for (const PodBuilder& member : {worker("p0", 4), worker("p1", 4), worker("p2", 8)}) gang.push_back(submit(member));
  const Turn turn = only_turn();
  EXPECT_EQ(turn.verdict, Verdict::kDoesNotFit);
  EXPECT_FALSE(turn.search);
  EXPECT_EQ(placed(gang), 0U);
}

TEST_F(GroupSearchTest, SurplusMembersFollowWhereTheyFit) {
  gpu_node("a", 8);
  gpu_node("b", 8);
  gpu_node("c", 2);
  describe("train", 3);
  std::vector<PodId> gang;
  for (const PodBuilder& member :
       {worker("p0", 4), worker("p1", 4), worker("p2", 8), worker("p3", 2), worker("p4", 2)}) {
    gang.push_back(submit(member));
  }
  const Turn turn = only_turn();
  EXPECT_EQ(turn.verdict, Verdict::kStarts);
  EXPECT_EQ(placed(gang), 4U);
}

TEST_F(GroupSearchTest, NobodyIsEvictedWhereASearchFindsRoom) {
  const NodeId a = gpu_node("a", 8);
  gpu_node("b", 8);
  gpu_node("c", 4);
  const PodId low = add(pod("low").request(kGpu, "4").priority(-5), a);
  describe("train", 2);
  const std::vector<PodId> gang = {submit(worker("p0", 4)), submit(worker("p1", 8))};
  const Turn turn = only_turn();
  EXPECT_EQ(turn.verdict, Verdict::kStarts);
  EXPECT_EQ(placed(gang), 2U);
  EXPECT_TRUE(cluster_.pod(low).node.valid());
}

TEST_F(GroupSearchTest, AnUnchangedClusterIsNotSearchedAgain) {
  gpu_node("a", 8);
  describe("train", 2);
  const std::vector<PodId> gang = {submit(worker("p0", 4)), submit(worker("p1", 8))};
  EXPECT_FALSE(only_turn().repeats_search);
  dispatcher().retry(gang[0]);
  const Turn again = only_turn();
  EXPECT_TRUE(again.repeats_search);
  ASSERT_TRUE(again.search);
  EXPECT_EQ(again.search->ending, SearchEnding::kProven);
  gpu_node("b", 8);
  dispatcher().capacity_freed();
  const Turn then = only_turn();
  EXPECT_FALSE(then.repeats_search);
  EXPECT_EQ(then.verdict, Verdict::kStarts);
}

}  // namespace
}  // namespace loadline::gang

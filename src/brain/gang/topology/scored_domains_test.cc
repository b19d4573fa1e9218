// Groups that Kubernetes' schedulingConstraints keep in one domain, under groupDomains: MostAllocated.
#include "brain/gang/topology/scored_domains.h"

#include <gmock/gmock.h>

#include "brain/engine/registry.h"
#include "brain/gang/testing/topology_fixture.h"

namespace loadline::gang {
namespace {

using cluster::NodeId;
using decision::Turn;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::PodId;
using Spots = std::map<std::string, int>;

class ScoredDomainsTest : public testing::TopologyFixture {
 protected:
  ScoredDomainsTest() {
    dispatcher().set_switches({.placement = GroupPlacement::kInOrder,
                               .domains = GroupDomains::kMostAllocated,
                               .victims = GroupVictims::kPodByPod,
                               .backfill = Backfill::kSkipAhead});
  }

  /// A node of 10 CPUs and 100Gi, of which so many CPUs are in use.
  NodeId add_used_node(const std::string& name, const std::string& rack, int used) {
    auto builder = testing::node(name).allocatable("cpu", "10").allocatable("memory", "100Gi");
    if (!rack.empty()) builder.label(kRack, rack);
    const NodeId node = add(builder);
    if (used > 0) add(testing::pod("on-" + name).request("cpu", std::to_string(used)), node);
    return node;
  }
  std::vector<PodId> submit_constrained(const std::string& name, int minimum, int pods, const std::string& cpu = "2") {
    constrain(name, minimum);
    return submit(testing::pod("p").request("cpu", cpu).priority(100), name, pods);
  }
  void constrain(const std::string& name, int minimum) {
    kube::PodGroup group;
    group.metadata.namespace_ = "default";
    group.metadata.name = name;
    group.policy.min_count = minimum;
    group.topology.push_back({kRack});
    cluster_.set_pod_group(group);
  }
};

TEST_F(ScoredDomainsTest, TheFullestDomainIsTaken) {
  add_used_node("a", "r1", 2);
  add_used_node("b", "r2", 5);
  add_used_node("c", "r3", 4);
  const std::vector<PodId> gang = submit_constrained("gang", 2, 2);
  take_turns();
  EXPECT_EQ(spots(gang), (Spots{{"b", 2}}));
}

TEST_F(ScoredDomainsTest, HavingMoreOfTheMembersCountsAsMuch) {
  add_used_node("a", "r1", 0);
  add_used_node("b", "r2", 6);
  const std::vector<PodId> gang = submit_constrained("gang", 2, 4);
  take_turns();
  // r1: (80 + 1) / 2 + 100; r2: (100 + 1) / 2 + 50: the memory is 200Mi for each pod.
  EXPECT_EQ(spots(gang), (Spots{{"a", 4}}));
}

TEST_F(ScoredDomainsTest, ScoresAreTheSumOfBothPlugins) {
  add_used_node("a", "r1", 0);
  add_used_node("b", "r2", 6);
  const std::vector<PodId> gang = submit_constrained("gang", 2, 4);
  DomainTrees trees(cluster_);
  auto scheduler = *placement::Scheduler::make(cluster_, engine::registry(), configuration_, extensions_);
  const DomainChoice choice = score_domains(cluster_, scheduler, trees, cluster_.find_group("default", "gang"), gang);
  ASSERT_EQ(choice.domains.size(), 2U);
  EXPECT_EQ(choice.domains[0].name, "r1");
  EXPECT_EQ(choice.domains[0].score, 40 + 100) << "80 % of the CPUs, 0 % of the memory";
  EXPECT_EQ(choice.domains[1].score, 50 + 50) << "all CPUs, and two of four pods";
  EXPECT_EQ(placed(gang), 0U) << "nothing stays in the cluster";
}

TEST_F(ScoredDomainsTest, AmongEqualsTheFirstByNameIsTaken) {
  add_used_node("b", "r2", 0);
  add_used_node("a", "r1", 0);
  const std::vector<PodId> gang = submit_constrained("gang", 2, 2);
  take_turns();
  EXPECT_EQ(spots(gang), (Spots{{"a", 2}}));
}

TEST_F(ScoredDomainsTest, WithoutAFeasibleDomainTheFirstIsTold) {
  add_used_node("a", "r1", 8);
  add_used_node("b", "r2", 9);
  add_used_node("free", "", 0);
  submit_constrained("gang", 2, 2);
  const std::vector<Turn> turns = take_turns();
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_EQ(said(turns[0]), "0/2 placements are available, first placement status: pod group is unschedulable");
  EXPECT_THAT(
      messages(turns[0]),
      ElementsAre(
          "pod group is unschedulable, waiting for minCount pods from a gang to be scheduled, one or "
          "more plugins asked to wait and no plugin rejected pod",
          "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to "
          "placement-based pod group scheduling limitation"));
}

TEST_F(ScoredDomainsTest, NobodyIsEvicted) {
  const NodeId a = add_used_node("a", "r1", 0);
  add(testing::pod("low").request("cpu", "9").priority(-5), a);
  submit_constrained("gang", 2, 2);
  const std::vector<Turn> turns = take_turns();
  ASSERT_EQ(turns.size(), 1U);
  for (const decision::PodTurn& pod : turns[0].pods) EXPECT_TRUE(pod.victims.empty());
}

TEST_F(ScoredDomainsTest, MembersOnNodesDecide) {
  const NodeId a = add_used_node("a", "r1", 0);
  add_used_node("b", "r2", 7);
  constrain("gang", 1);
  add(testing::pod("first").request("cpu", "2").group("gang"), a);
  const PodId second = submit(testing::pod("second").request("cpu", "2").group("gang"));
  take_turns();
  EXPECT_EQ(cluster_.node_name(cluster_.pod(second).node), "a");
}

TEST_F(ScoredDomainsTest, MembersInTwoDomainsAreAnError) {
  constrain("gang", 1);
  add(testing::pod("first").group("gang"), add_used_node("a", "r1", 0));
  add(testing::pod("second").group("gang"), add_used_node("b", "r2", 0));
  submit(testing::pod("third").group("gang"));
  const std::vector<Turn> turns = take_turns();
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_EQ(turns[0].verdict, Verdict::kFailed);
  EXPECT_THAT(messages(turns[0]), Each("cannot determine domain for already scheduled pods: more than 1 domain found "
                                       "for pod group: r1, r2"));
}

TEST_F(ScoredDomainsTest, WithoutALabelledNodeThereIsNoPlacement) {
  add_used_node("a", "", 0);
  submit_constrained("gang", 1, 1);
  const std::vector<Turn> turns = take_turns();
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_THAT(messages(turns[0]), Each("no feasible placements found"));
}

TEST_F(ScoredDomainsTest, WithTheSearchMembersAreNotBoundToTheirOrder) {
  dispatcher().set_switches({.domains = GroupDomains::kMostAllocated});
  add_used_node("a", "r1", 0);
  add_used_node("b", "r1", 4);
  constrain("gang", 3);
  std::vector<PodId> gang = submit(testing::pod("small").request("cpu", "5"), "gang", 2);
  gang.push_back(submit(testing::pod("large").request("cpu", "6").group("gang")));
  take_turns();
  EXPECT_EQ(placed(gang), 3U);
}

}  // namespace
}  // namespace loadline::gang

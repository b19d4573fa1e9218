#include "brain/decision/why_text.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

#include "brain/cluster/testing/node_builder.h"
#include "brain/cluster/testing/pod_builder.h"

namespace loadline::decision {
namespace {

using cluster::testing::node;
using cluster::testing::pod;
using gang::NoDomainTakes;
using gang::NoVictims;
using gang::Refusal;
using gang::TopologyRefusal;
using gang::WishFault;
using placement::Code;
using placement::FitError;
using placement::NoHelp;
using placement::Reason;
using placement::ReasonKind;
using placement::Rejection;

/// A cluster of the things that reasons name.
class WhyTextTest : public ::testing::Test {
 protected:
  WhyTextTest() {
    node_ = cluster_.add_node(node("n1"));
    pod_ = cluster_.add_pod(pod("p"));
    cpu_ = table_->intern({"NodeResourcesFit", Code::kUnschedulable, {{ReasonKind::kInsufficientResource, "cpu"}}});
    none_ = table_->intern({"DefaultPreemption", Code::kUnresolvable, {{ReasonKind::kNoVictims, ""}}});
  }

  /// Two nodes lack cpu.
  [[nodiscard]] FitError two_full_nodes() const { return {{}, 2, {}, {{cpu_, 2}}, {}, table_}; }
  static Why of(FitError error) { return {{}, std::make_shared<const FitError>(std::move(error)), {}}; }
  static Why of(Refusal refusal) { return {std::move(refusal), {}, {}}; }
  static Why of_topology(TopologyRefusal refusal) {
    return of(gang::NoPlaceTogether{std::make_shared<const TopologyRefusal>(std::move(refusal))});
  }
  static Why of_wish(WishFault fault) { return of_topology(std::move(fault)); }
  [[nodiscard]] std::string told(const Why& why) const { return text(cluster_, why); }

  cluster::Cluster cluster_;
  std::shared_ptr<placement::RejectionTable> table_ = std::make_shared<placement::RejectionTable>();
  cluster::NodeId node_;
  cluster::PodId pod_;
  placement::RejectionId cpu_, none_;
};

TEST_F(WhyTextTest, NothingIsSaidOfWhatDoesNotWait) {
  EXPECT_TRUE(Why().empty());
  EXPECT_TRUE(of(Refusal()).empty());
  EXPECT_EQ(told(Why()), "");
  EXPECT_TRUE(count_reasons(cluster_, Why()).empty());
}

TEST_F(WhyTextTest, UnitsThatHaveNoTurn) {
  const Symbol train = cluster_.symbols().intern("scheduler");
  EXPECT_EQ(told({Gated{{ReasonKind::kTooFewMembers, {}}}, {}, {}}),
            "waiting for minCount pods from a gang to appear in scheduling queue");
  EXPECT_EQ(told({NotAdmitted{}, {}, {}}), "waiting for the admission of its workload");
  EXPECT_EQ(told({Gated{{ReasonKind::kGroupUnknown, "train"}}, {}, {}}),
            "waiting for pods's pod group \"train\" to appear in scheduling queue");
  EXPECT_EQ(told({gang::LackingSubgroup{"workers", 0, 4}, {}, {}}),
            "waiting for pods of subgroup \"workers\": 4 must start together, and it has none");
  EXPECT_EQ(told({gang::LackingSubgroup{"workers", 3, 4}, {}, {}}),
            "waiting for pods of subgroup \"workers\": 4 must start together, and it has 3");
  const Why held{HeldForPlan{Unit(pod_), Instant{0}}, {}, {}};
  EXPECT_EQ(told(held), "would move the planned start of pod default/p at 1970-01-01T00:00:00Z");
  EXPECT_EQ(held.held_by(), Unit(pod_));
  EXPECT_EQ(told(of(gang::SchedulersDiffer{train, train})),
            "all pods in a single pod group should have the same .spec.schedulerName set, got: \"scheduler\" and "
            "\"scheduler\"");
}

TEST_F(WhyTextTest, NodesSayWhatTheyLack) {
  EXPECT_EQ(told(of(two_full_nodes())), "0/2 nodes are available: 2 Insufficient cpu.");
  FitError failed = two_full_nodes();
  failed.error = "boom";
  EXPECT_EQ(told(of(failed)), "boom");
  EXPECT_EQ(told(of(FitError{})), "no nodes available to schedule pods");
  const FitError as_a_whole{
      {}, 3, Rejection{"NodeAffinity", Code::kUnresolvable, {{ReasonKind::kAffinityTermsConflict, {}}}}, {}, {}, {}};
  EXPECT_EQ(told(of(as_a_whole)), "0/3 nodes are available: pod affinity terms conflict.");
  const std::vector<placement::ReasonCount> counts = count_reasons(cluster_, of(two_full_nodes()));
  ASSERT_EQ(counts.size(), 1u);
  EXPECT_EQ(counts[0].nodes, 2u);
  EXPECT_EQ(counts[0].plugin, "NodeResourcesFit");
  EXPECT_EQ(counts[0].text, "Insufficient cpu");
  EXPECT_EQ(plugins_of(two_full_nodes()), std::vector<std::string_view>{"NodeResourcesFit"});
}

TEST_F(WhyTextTest, PluginsAtPostFilterSayWhyTheyDoNotHelp) {
  using Kind = NoHelp::Kind;
  const std::pair<NoHelp, const char*> cases[] = {
      {{Kind::kSaid, "no claims", {}, {}}, "no claims"},
      {{Kind::kFailed, "boom", {}, {}}, "preemption: boom"},
      {{Kind::kIneligible, {}, placement::Ineligible::kNever, {}},
       "preemption: not eligible due to preemptionPolicy=Never."},
      {{Kind::kIneligible, {}, placement::Ineligible::kVictimsLeaving, {}},
       "preemption: not eligible due to a terminating pod on the nominated node."},
      {{Kind::kTriedInPart, {}, {}, {}},
       "preemption: not eligible due to placement-based pod group scheduling limitation"},
      {{Kind::kNoCandidate, {}, {}, {}}, "preemption: no candidate node for preemption"},
      {{Kind::kNoVictimsAnywhere, {}, {}, {{none_, 2}}},
       "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod."},
  };
  for (const auto& [answer, words] : cases) {
    FitError error = two_full_nodes();
    error.post_filters = {answer};
    EXPECT_EQ(told(of(error)), std::string("0/2 nodes are available: 2 Insufficient cpu. ") + words);
    error.post_filters = {{Kind::kSaid, {}, {}, {}}, {Kind::kSaid, "first", {}, {}}, answer};
    EXPECT_EQ(told(of(error)), std::string("0/2 nodes are available: 2 Insufficient cpu. first, ") + words);
  }
}

TEST_F(WhyTextTest, GroupsThatDoNotStart) {
  const std::pair<Refusal, const char*> cases[] = {
      {gang::MemberFailed{"boom"}, "failed to schedule other pod from a pod group: boom"},
      {gang::TooFewPlaced{}, "pod group is unschedulable"},
      {gang::TooFewPlaced{Reason{ReasonKind::kGangNotPlaced, {}}},
       "pod group is unschedulable, waiting for minCount pods from a gang to be scheduled, one or more plugins asked "
       "to "
       "wait and no plugin rejected pod"},
      {gang::WaitsForVictims{}, "pod group is unschedulable, pod group is waiting for preemption to complete"},
      {gang::VictimsWouldNotDo{}, "pod group is unschedulable, even if the pods were gone that it may preempt"},
      {gang::DomainUnknown{pod_},
       "cannot determine domain for already scheduled pods: no topology domain found for pod default/p"},
      {gang::SeveralDomains{"a", "b"},
       "cannot determine domain for already scheduled pods: more than 1 domain found for pod group: a, b"},
      {gang::NoDomains{}, "no feasible placements found"},
      {gang::NoDomainSuffices{2}, "0/2 placements are available, first placement status: pod group is unschedulable"},
      {gang::NoRoomNearby{}, "the pod group has started, and near it there is no room for this pod"},
      {gang::SubgroupLeftOut{"spare", true}, "pod group starts without subgroup \"spare\""},
      {gang::SubgroupLeftOut{"spare", false}, "subgroup \"spare\" has too few pods"},
  };
  for (const auto& [refusal, words] : cases) {
    EXPECT_EQ(told(of(refusal)), words);
    EXPECT_FALSE(of(refusal).empty());
  }
}

TEST_F(WhyTextTest, WhatAGroupWishesMayMakeNoSense) {
  using Kind = WishFault::Kind;
  const std::pair<WishFault, const char*> cases[] = {
      {{.kind = Kind::kMembersDisagree}, "annotations of its pods ask for different topologies"},
      {{.kind = Kind::kUnknownTopology, .topology = "racks"}, "there is no topology \"racks\", nor any other"},
      {{.kind = Kind::kUnknownTopology, .topology = "defalt", .known = {{"default", {}}}},
       "there is no topology \"defalt\"; there is default; did you mean \"default\"?"},
      {{.kind = Kind::kUnknownLevel,
        .topology = "default",
        .levels = {"rak"},
        .known = {{"example.com/rack", "rack"}, {"host", {}}},
        .subgroup = "workers"},
       "subgroup workers: topology \"default\" has no level \"rak\"; it has example.com/rack (rack), host; did you "
       "mean "
       "\"rack\"?"},
      {{.kind = Kind::kLevelsOfNoTopology, .levels = {"rack", "blok"}, .known = {{"rack", {}}, {"block", {}}}},
       "no topology has the levels \"rack\", \"blok\"; did you mean \"block\"?"},
      {{.kind = Kind::kLevelsOfNoTopology, .levels = {"rack"}, .known = {{"r", "rack"}}},
       "no topology has the level \"rack\""},
      {{.kind = Kind::kSlicesWithoutSize, .levels = {"rack"}},
       "slices are to be within \"rack\", and nothing says how many pods a slice has"},
      {{.kind = Kind::kSlicesWithoutLevel, .size = 4}, "slices have 4 pods, and nothing says within what"},
      {{.kind = Kind::kSlicesBroaderThanAll, .levels = {"block", "rack"}},
       "slices are to be within \"block\", which is broader than \"rack\", where all pods are to be"},
      {{.kind = Kind::kSlicesOfParts, .subgroup = "workers"}, "subgroup workers: slices are of its parts"},
      {{.kind = Kind::kSlicesOfSubgroups}, "slices are of subgroups, where there are any"},
  };
  for (const auto& [fault, words] : cases) {
    EXPECT_EQ(told(of_wish(fault)), std::string("pod group is unschedulable, ") + words);
  }
}

TEST_F(WhyTextTest, DomainsThatDoNotTakeAGroup) {
  using Scope = NoDomainTakes::Scope;
  const NoDomainTakes::Slices slices{1, 2, "host"};
  const gang::DomainTree::Fault fault{"h0", "has no members"};
  const std::pair<TopologyRefusal, const char*> cases[] = {
      {gang::MemberOutside{node_, "rack"}, "node n1, where one of its pods is, is in no domain of \"rack\""},
      {gang::MembersApart{{"r1", "r2"}}, "more than 1 domain found for pod group: r1, r2"},
      {NoDomainTakes{"", Scope::kCluster, "", 1, 1, 0, "", {}, {}}, "the cluster has room for 0 of its 1 pod"},
      {NoDomainTakes{"workers", Scope::kCluster, "", 1, 4, 3, "", {}, {}},
       "subgroup workers: the cluster has room for 3 of its 4 pods"},
      {NoDomainTakes{"", Scope::kLabel, "rack", 2, 4, 0, "", {}, {}},
       "0/2 placements are available, first placement status: pod group is unschedulable"},
      {NoDomainTakes{"", Scope::kLabel, "rack", 2, 4, 3, "r1", {}, {}},
       "0/2 placements are available, first placement status: pod group is unschedulable; the best, r1, has room for 3 "
       "of its 4 pods"},
      {NoDomainTakes{"", Scope::kLevel, "rack", 0, 4, 0, "", {}, {}}, "no node is in a domain of \"rack\""},
      {NoDomainTakes{"", Scope::kLevel, "rack", 2, 4, 0, "", {}, {}},
       "none of 2 domains of \"rack\" has room for any of its 4 pods"},
      {NoDomainTakes{"", Scope::kLevel, "rack", 2, 4, 4, "r1", {}, {}},
       "none of 2 domains of \"rack\" takes its 4 pods together"},
      {NoDomainTakes{"", Scope::kLevel, "rack", 2, 4, 3, "b1/r1", slices, fault},
       "none of 2 domains of \"rack\" has room for its 4 pods: the best, b1/r1, has room for 3, in 1 slices of 2 "
       "within "
       "\"host\" (HyperNode h0 has no members)"},
  };
  for (const auto& [refusal, words] : cases) {
    EXPECT_EQ(told(of_topology(refusal)), std::string("pod group is unschedulable, ") + words);
  }
}

TEST_F(WhyTextTest, NobodyLeavesForAGroup) {
  using Kind = NoVictims::Kind;
  const std::pair<NoVictims, const char*> cases[] = {
      {{Kind::kNever}, "not eligible due to preemptionPolicy=Never."},
      {{Kind::kNobody}, "No preemption victims found for incoming preemptor."},
      {{Kind::kNobody, 1},
       "No preemption victims found for incoming preemptor. 1 pod or group has not run for as long as it is granted."},
      {{Kind::kNotEnough, 2},
       "there is no room even if all pods of lower priority left. 2 pods or groups have not run for as long as they "
       "are "
       "granted."},
      {{Kind::kPlannedForOthers}, "the room that evictions would make is planned for others."},
  };
  for (const auto& [why, words] : cases) {
    Why whole = of(two_full_nodes());
    whole.no_victims = {why};
    EXPECT_EQ(told(whole), std::string("0/2 nodes are available: 2 Insufficient cpu. preemption: ") + words);
    whole = of(gang::NoRoomNearby{});
    whole.no_victims = {why};
    EXPECT_EQ(told(whole), told(of(gang::NoRoomNearby{})) + ", preemption: " + words);
  }
}

TEST_F(WhyTextTest, TheCauseStandsBeforeWhatNodesSay) {
  Why why = of(two_full_nodes());
  why.cause = Refusal(gang::TooFewPlaced{});
  EXPECT_EQ(told(why), "pod group is unschedulable: 0/2 nodes are available: 2 Insufficient cpu.");
}

TEST_F(WhyTextTest, ValuesAreEqualIfTheyTellTheSame) {
  EXPECT_EQ(of(two_full_nodes()), of(two_full_nodes()));
  FitError other = two_full_nodes();
  other.rejections[0].nodes = 1;
  EXPECT_FALSE(of(other) == of(two_full_nodes()));
  EXPECT_FALSE(of(two_full_nodes()) == Why());
  Why why = of(two_full_nodes());
  why.no_victims = {NoVictims{}};
  EXPECT_FALSE(why == of(two_full_nodes()));
}

TEST_F(WhyTextTest, WordsAreThoseOfTheLastValue) {
  WhyWords words(cluster_);
  const Why full = of(two_full_nodes());
  EXPECT_EQ(words.of(full).text, told(full));
  EXPECT_EQ(words.of(full).reasons.size(), 1u);
  Why with_more = full;
  with_more.no_victims = {NoVictims{}};
  EXPECT_EQ(words.of(with_more).text, told(with_more));
  EXPECT_EQ(words.of(Why()).text, "");
  EXPECT_EQ(words.of(full).text, told(full));
}

}  // namespace
}  // namespace loadline::decision

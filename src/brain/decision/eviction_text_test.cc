// The words of each cause: a table, as kube-scheduler, the taint manager, a drain and groups write them.
#include "brain/decision/eviction_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "brain/cluster/testing/node_builder.h"
#include "brain/cluster/testing/pod_builder.h"

namespace loadline::decision {
namespace {

using cluster::testing::PodBuilder;
using gang::HeldInVain;

EvictionFacts facts(EvictionCause cause) {
  EvictionFacts facts;
  facts.cause = cause;
  facts.pod = "ml/a";
  facts.node = "n";
  facts.by = "pod ml/b";
  facts.scheduler = "sched";
  facts.why = "why";
  facts.deadline = Instant{} + Duration::seconds(60);
  return facts;
}

TEST(EvictionText, EachCauseHasItsWords) {
  struct Row {
    EvictionCause cause;
    const char *event, *told, *condition, *said, *outcome;
  };
  const std::vector<Row> rows = {
      {EvictionCause::kPreemption, "Preempted", "Preempted by pod ml/b on node n", "PreemptionByScheduler",
       "sched: preempting to accommodate a higher priority pod", "preempted by pod ml/b on node n"},
      {EvictionCause::kTaint, "TaintManagerEviction", "Marking for deletion Pod ml/a", "DeletionByTaintManager",
       "Taint manager: deleting due to NoExecute taint", "evicted by a NoExecute taint of node n"},
      {EvictionCause::kDrain, "Evicted", "Evicted by the drain of node n", "EvictionByEvictionAPI",
       "Eviction API: evicting", "evicted by the drain of node n"},
      {EvictionCause::kDrainBy, "DrainedFromNode", "Evicted: node n is to be free by 1970-01-01T00:01:00Z",
       "EvictionByEvictionAPI", "Eviction API: evicting", "evicted by the drain of node n"},
      {EvictionCause::kIncompleteGroup, "Released", "why", "PodGroupIncomplete", "sched: why", "why"},
      {EvictionCause::kUnknown, "", "", "", "", "deleted"},
  };
  for (const Row& row : rows) {
    const EvictionFacts said = facts(row.cause);
    EXPECT_EQ(words_of(row.cause).event, row.event);
    EXPECT_EQ(event_text(said), row.told);
    EXPECT_EQ(words_of(row.cause).condition, row.condition);
    EXPECT_EQ(condition_text(said), row.said);
    EXPECT_EQ(outcome_text(said), row.outcome);
  }
}

TEST(EvictionText, WithWhomAPodIsDrained) {
  EvictionFacts drain = facts(EvictionCause::kDrain);
  drain.is_own_node_drained = false;
  EXPECT_EQ(event_text(drain), "Evicted with its pod group, by the drain of other nodes");
  EvictionFacts by = facts(EvictionCause::kDrainBy);
  by.unit = "pod group ml/train (8 pods)";
  by.saved_until = Instant{} + Duration::seconds(30);
  EXPECT_EQ(event_text(by),
            "Evicted with pod group ml/train (8 pods): node n is to be free by 1970-01-01T00:01:00Z; its work is saved "
            "as of 1970-01-01T00:00:30Z");
}

/// A restart reads from the object what it can.
TEST(EvictionText, TheConditionTellsTheCause) {
  const auto told = [](const char* status, std::string_view reason) {
    PodBuilder builder("p");
    builder.pod().status.conditions.push_back({"DisruptionTarget", status, std::string(reason), ""});
    return told_cause(builder.build());
  };
  for (const EvictionCause cause :
       {EvictionCause::kPreemption, EvictionCause::kTaint, EvictionCause::kDrain, EvictionCause::kIncompleteGroup}) {
    EXPECT_EQ(told("True", words_of(cause).condition), cause);
    EXPECT_EQ(told("False", words_of(cause).condition), EvictionCause::kUnknown) << "it was taken back";
  }
  EXPECT_EQ(told("True", "TerminationByKubelet"), EvictionCause::kUnknown);
  EXPECT_EQ(told_cause(PodBuilder("p").build()), EvictionCause::kUnknown);
}

class GroupText : public ::testing::Test {
 protected:
  GroupText() {
    cluster::GroupDescription said;
    said.name_space = "default";
    said.group.name = "train";
    said.min_count = 3;
    said.rules.subgroups.resize(2);
    said.rules.subgroups[1].name = "left";
    cluster_.set_group(said);
    const cluster::NodeId node = cluster_.add_node(cluster::testing::node("n"));
    for (const char* name : {"a", "b"}) pods_.push_back(cluster_.add_pod(PodBuilder(name).group("train"), node));
    train_ = cluster_.pod(pods_[0]).group;
    other_ = cluster_.add_pod(PodBuilder("other"));
  }
  std::string text(std::size_t pods, gang::Shortfall shortfall, Unit for_whom = {}) {
    return release_text(
        release_of({train_, {pods_.begin(), pods_.begin() + static_cast<std::ptrdiff_t>(pods)}, shortfall}, for_whom),
        cluster_);
  }

  cluster::Cluster cluster_;
  std::vector<cluster::PodId> pods_;
  cluster::GroupId train_;
  cluster::PodId other_;
};

TEST_F(GroupText, SaysWhatIsHeldInVain) {
  EXPECT_EQ(text(2, {HeldInVain::kByGroup, 0, 3}),
            "2 of the 3 pods that pod group \"train\" starts with have waited too long for the rest");
  EXPECT_EQ(text(2, {HeldInVain::kByGroup, 0, 2}),
            "2 pods of pod group \"train\" have waited too long for those that its subgroups lack");
  EXPECT_EQ(
      text(1, {HeldInVain::kBySubgroup, 1, 2}),
      "1 of the 2 pods that subgroup \"left\" of pod group \"train\" starts with have waited too long for the rest");
  EXPECT_EQ(text(1, {HeldInVain::kBySubgroup, 1, 1}),
            "1 pod of subgroup \"left\" of pod group \"train\" have waited too long for the rest of it");
  EXPECT_EQ(text(1, {HeldInVain::kBeforeLaterPart, 0, 3}),
            "1 of the 3 pods of pod group \"train\" hold room, and the later ones find none");
  EXPECT_EQ(text(1, {HeldInVain::kBeforeGroup, 0, 3}),
            "the pods before pod group \"train\" hold room, and it finds none");
}

TEST_F(GroupText, SaysForWhom) {
  const gang::Shortfall later{HeldInVain::kBeforeLaterPart, 0, 3};
  EXPECT_TRUE(text(1, later, Unit(train_)).ends_with(", and the group starts anew elsewhere"));
  EXPECT_TRUE(text(1, later, Unit(other_)).ends_with(", and pod default/other starts in their room"));
}

TEST_F(GroupText, NamesUnits) {
  Eviction eviction = preemption_of({pods_, train_, false, 0, 0, 7, 8}, Unit(other_));
  EXPECT_EQ(text_of(eviction, cluster_), "pod group default/train (2 pods)");
  EXPECT_EQ(eviction.gpu_seconds, 7);
  const EvictionFacts said = facts_of(eviction, pods_[1], cluster_);
  EXPECT_EQ(event_text(said), "Preempted by pod default/other on node n");
  eviction.for_whom = Unit(train_);
  EXPECT_EQ(facts_of(eviction, pods_[0], cluster_).by_kind, "podgroup");
  EXPECT_EQ(text_of(preemption_of({{pods_[0]}, train_, true, 1, 0, 0, 0}, {}), cluster_), "surplus pod default/a");
  EXPECT_EQ(text_of(preemption_of({{other_}, {}, false, 0, 0, 0, 0}, {}), cluster_), "pod default/other");
  EXPECT_EQ(text_of(Unit(), cluster_), "");
}

}  // namespace
}  // namespace loadline::decision

// Evictions that are under way: what is known of each, and that it is what a recount of the model finds, whatever
// happens. LOADLINE_EVICTION_SEEDS runs more histories.
#include "brain/engine/evictions.h"

#include <gmock/gmock.h>

#include <vector>

#include "brain/engine/testing/group_history.h"

namespace loadline::engine {
namespace {

using cluster::NodeId;
using cluster::PodId;
using decision::Eviction;
using decision::EvictionCause;
using decision::Turn;
using decision::Unit;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::node;
using testing::pod;
using ::testing::SizeIs;
using testing::Work;

class EvictionsTest : public testing::DispatcherFixture {
 protected:
  EvictionsTest() { node_ = add(node("n").allocatable("cpu", "4")); }
  Evictions& evictions() { return dispatcher().evictions(); }

  NodeId node_;
};

TEST_F(EvictionsTest, AreAskedForByATurnAndEndWithTheirPods) {
  const PodId low = add(pod("low").request("cpu", "4"), node_);
  const PodId high = submit(pod("high").request("cpu", "4").priority(1));
  const Turn turn = dispatcher().take(*dispatcher().next());
  ASSERT_THAT(turn.evictions, SizeIs(1));
  EXPECT_EQ(turn.evictions[0].cause, EvictionCause::kPreemption);
  EXPECT_EQ(turn.evictions[0].for_whom, Unit(high));
  ASSERT_NE(evictions().of(low), nullptr);
  EXPECT_EQ(*evictions().of(low), turn.evictions[0]);
  EXPECT_THAT(evictions().leaving(), IsEmpty()) << "it was only asked to";

  dispatcher().leaving(low);
  EXPECT_TRUE(cluster_.pod(low).terminating_by_preemption);
  EXPECT_THAT(evictions().leaving(), ElementsAre(low));
  EXPECT_EQ(evictions().for_whom(low), Unit(high));
  cluster_.remove_pod(low);
  EXPECT_EQ(evictions().of(low), nullptr);
  EXPECT_THAT(evictions().leaving(), IsEmpty());
}

TEST_F(EvictionsTest, ThatNobodyCarriesOutAreForgottenWithTheNextTurn) {
  const PodId low = add(pod("low").request("cpu", "4"), node_);
  submit(pod("high").request("cpu", "4").priority(1));
  dispatcher().take(*dispatcher().next());
  ASSERT_NE(evictions().of(low), nullptr);
  submit(pod("tiny"));
  dispatcher().take(*dispatcher().next());
  EXPECT_EQ(evictions().of(low), nullptr);
}

TEST_F(EvictionsTest, OfALeavingPodStayWhatTheyWere) {
  const PodId low = add(pod("low").request("cpu", "4"), node_);
  dispatcher().leaving(low, EvictionCause::kTaint);
  Eviction drain;
  drain.cause = EvictionCause::kDrain;
  drain.pods = {low};
  evictions().ask(drain);
  EXPECT_EQ(evictions().of(low)->cause, EvictionCause::kTaint);
  EXPECT_FALSE(cluster_.pod(low).terminating_by_preemption);
}

/// A host begins anew: the pod's object says that it was preempted, and another one's that it is nominated there.
TEST_F(EvictionsTest, ForWhomAVictimLeavesIsFoundByNominations) {
  const PodId low = add(pod("low").request("cpu", "4"), node_);
  dispatcher().leaving(low, EvictionCause::kPreemption);
  EXPECT_EQ(evictions().for_whom(low), Unit());
  const PodId equal = add(pod("equal"));
  const PodId high = add(pod("high").request("cpu", "4").priority(1));
  cluster_.nominate(equal, node_);
  cluster_.nominate(high, node_);
  EXPECT_EQ(evictions().for_whom(low), Unit(high));
}

/// Ids of pods are used again.
TEST_F(EvictionsTest, OfPodsThatAreGoneDoNotConcernThoseThatComeInTheirStead) {
  const PodId low = add(pod("low").request("cpu", "4"), node_);
  const PodId high = submit(pod("high").request("cpu", "4").priority(1));
  dispatcher().take(*dispatcher().next());
  dispatcher().leaving(low);
  dispatcher().withdraw(high);
  cluster_.remove_pod(high);
  dispatcher().reclaim();
  EXPECT_EQ(add(pod("another")), high);
  EXPECT_EQ(evictions().for_whom(low), Unit()) << "who wanted the room is gone";
  cluster_.remove_pod(low);
  dispatcher().reclaim();
  EXPECT_EQ(add(pod("third")), low);
  EXPECT_EQ(evictions().of(low), nullptr);
}

class EvictionHistory : public testing::GroupHistory {
 protected:
  /// The host evicts a pod of its own accord; or one is deleted.
  void let_one_go() {
    if (works_.empty()) return;
    const Work& work = works_[rng_.below(works_.size())];
    const PodId pod = work.pods[rng_.below(work.pods.size())];
    if (!pod.valid() || !cluster_.pod(pod).node.valid() || cluster_.pod(pod).terminating) return;
    if (chance(50)) {
      Eviction drain;
      drain.cause = EvictionCause::kDrain;
      drain.pods = {pod};
      dispatcher().evictions().ask(drain);
    }
    evict(pod);
  }

  /// What is under way is what the model says is terminating, and nothing is asked for that was not carried out.
  void check() {
    const Evictions& evictions = dispatcher().evictions();
    std::vector<PodId> terminating;
    for (const auto& [pod, work] : owners_) {
      const cluster::PodRecord& record = cluster_.pod(pod);
      const Eviction* eviction = evictions.of(pod);
      ASSERT_EQ(eviction != nullptr, record.terminating) << cluster_.pod_text(pod);
      if (eviction == nullptr) continue;
      terminating.push_back(pod);
      EXPECT_NE(std::ranges::find(eviction->pods, pod), eviction->pods.end());
      EXPECT_TRUE(eviction->cause != EvictionCause::kPreemption || record.terminating_by_preemption);
    }
    EXPECT_EQ(evictions.leaving(), terminating);
  }
  /// A host that reads the model knows the same pods to be leaving.
  void check_rebuilt() {
    Evictions rebuilt(cluster_);
    for (const auto& [pod, work] : owners_) {
      const cluster::PodRecord& record = cluster_.pod(pod);
      if (!record.terminating) continue;
      rebuilt.leaving(pod, record.terminating_by_preemption ? EvictionCause::kPreemption : EvictionCause::kUnknown);
    }
    EXPECT_EQ(rebuilt.leaving(), dispatcher().evictions().leaving());
  }
};

TEST_P(EvictionHistory, WhatIsUnderWayIsWhatIsTerminating) {
  dispatcher().set_switches(switches_);
  for (int i = number(2, 4); i > 0; --i) add_random_node();
  for (int i = 0; i < 80 && !HasFailure(); ++i) {
    switch (rng_.below(12)) {
      case 0:
        lose_node();
        add_random_node();
        break;
      case 1:
        delete_any();
        break;
      case 2:
        let_one_go();
        break;
      case 3:
        dispatcher().reclaim();
        fresh_.clear();
        break;
      case 4:
      case 5:
      case 6:
        pass_time();
        break;
      default:
        arrive();
    }
    check();
    work_off_queue();
    check();
  }
  check_rebuilt();
}

INSTANTIATE_TEST_SUITE_P(Seeds, EvictionHistory,
                         ::testing::Range(0, cluster::testing::number_of("LOADLINE_EVICTION_SEEDS", 40)));

}  // namespace
}  // namespace loadline::engine

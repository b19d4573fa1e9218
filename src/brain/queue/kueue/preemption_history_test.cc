// Preemption comes to an end: nobody is preempted again, or in turn, unless something has changed.
#include "brain/queue/kueue/preemption_history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/testing/seeds.h"
#include "brain/queue/kueue/testing/stopped_jobs.h"
#include "foundation/base/rng.h"

namespace loadline::queue::kueue {
namespace {

using kube::FairSharingStrategy;
using Reclaim = testing::QueuePreemptionPolicy;
using testing::QueueBuilder;
using testing::StoppedJobs;
using testing::WorkloadBuilder;

using Ids = std::vector<WorkloadId>;

/// x and x2 in a, y in b, z in c, all of one cohort.
class PreemptionHistoryTest : public ::testing::Test {
 protected:
  PreemptionHistoryTest() {
    for (const char* name : {"a", "b", "c"}) world_.add(QueueBuilder(name).cohort("root").quota("f", "4"));
    x_ = world_.submit(WorkloadBuilder("x", "a").gpus("1"));
    x2_ = world_.submit(WorkloadBuilder("x2", "a").gpus("1"));
    y_ = world_.submit(WorkloadBuilder("y", "b").gpus("1"));
    z_ = world_.submit(WorkloadBuilder("z", "c").gpus("1"));
  }
  testing::World world_;
  PreemptionHistory history_{world_.tree, world_.scheduler.workloads()};
  WorkloadId x_;
  WorkloadId x2_;
  WorkloadId y_;
  WorkloadId z_;
};

TEST_F(PreemptionHistoryTest, SparesWhoeverComesBackAndWhoeverWasInFavour) {
  history_.preempt(x_, y_);
  EXPECT_EQ(history_.spared_by(y_), Ids{x_}) << "not again";
  EXPECT_FALSE(history_.had_preempted(y_, x_));
  EXPECT_EQ(history_.spared_by(x_), Ids{y_}) << "not in turn";
  EXPECT_TRUE(history_.had_preempted(x_, y_));
  EXPECT_EQ(history_.spared_by(z_), Ids());
  history_.preempt(y_, z_);
  EXPECT_EQ(history_.spared_by(x_), (Ids{y_, z_})) << "not over others";
}

TEST_F(PreemptionHistoryTest, AnArrivalIsAReasonToPreemptAgainAndNotInTurn) {
  history_.preempt(x_, y_);
  history_.arrived(z_);
  EXPECT_EQ(history_.spared_by(y_), Ids());
  EXPECT_EQ(history_.spared_by(x_), Ids{y_});
}

TEST_F(PreemptionHistoryTest, QuotaThatComesFreeOnItsSideIsAReasonToPreemptInTurn) {
  history_.preempt(x_, y_);
  history_.shrank(z_);
  EXPECT_EQ(history_.spared_by(x_), Ids{y_}) << "what became free elsewhere gives it no right";
  history_.shrank(x2_);
  EXPECT_EQ(history_.spared_by(x_), Ids());
}

TEST_F(PreemptionHistoryTest, WhatAVictimGivesUpIsNoReason) {
  history_.preempt(x_, y_);
  EXPECT_TRUE(history_.quota_comes_free(x_));
  EXPECT_EQ(history_.spared_by(x_), Ids{y_});
  EXPECT_FALSE(history_.quota_comes_free(x_)) << "it runs again, and ends";
  EXPECT_EQ(history_.spared_by(x_), Ids());
}

TEST_F(PreemptionHistoryTest, ForgetsWhatWasNotCarriedOutAndWhoIsGone) {
  history_.preempt(x_, y_);
  history_.take_back(x_);
  EXPECT_EQ(history_.spared_by(x_), Ids());
  EXPECT_EQ(history_.spared_by(y_), Ids());
  history_.preempt(x_, y_);
  history_.preempt(y_, z_);
  history_.forget(y_);
  EXPECT_EQ(history_.spared_by(x_), Ids());
  EXPECT_EQ(history_.spared_by(z_), Ids());
}

// A scheduler that is made anew reads the last preemption of each workload from its condition.
TEST(PreemptionHistoryOfConditions, IsKnownAfterARestart) {
  constexpr const char* kBefore = "Preempted to accommodate a workload (UID: p, JobUID: UNKNOWN) due to reclamation";
  for (const bool was_preempted : {false, true}) {
    StoppedJobs jobs({}, RepeatedPreemption::kRefused);
    jobs.world.add(QueueBuilder("a").cohort("root").quota("f", "2").reclaim(Reclaim::kAny));
    jobs.world.add(QueueBuilder("b").cohort("root").quota("f", "0"));
    jobs.submit(WorkloadBuilder("p", "b").gpus("2").created(1));
    EXPECT_TRUE(jobs.settles(0));
    WorkloadBuilder victim("v", "a");
    victim.gpus("2").created(2);
    if (was_preempted) victim.object().status.conditions.push_back({"Preempted", "True", 0, {}, "", kBefore});
    jobs.submit(victim);
    EXPECT_TRUE(jobs.settles(1));
    EXPECT_EQ(jobs.said.at("v"), was_preempted ? "spared" : "admitted f");
  }
}

/// Queues and jobs of few sizes, so that they are in each other's way.
class LoopWorld {
 public:
  LoopWorld(std::uint64_t seed, RepeatedPreemption repeated) : random_(seed), jobs(settings(), repeated) {
    add_queues();
    const int count = 3 + below(7);
    for (int i = 0; i < count; ++i) arrive(i);
  }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  int below(int bound) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(bound))); }

  Settings settings() {
    Settings it;
    it.sorts_by_priority = below(4) != 0;
    if (below(3) == 0) return it;
    it.fair_sharing.emplace();
    const int strategies = below(3);
    if (strategies == 1) it.fair_sharing->preemption_strategies = {FairSharingStrategy::kLessThanOrEqualToFinalShare};
    if (strategies == 2) it.fair_sharing->preemption_strategies = {FairSharingStrategy::kLessThanInitialShare};
    return it;
  }
  Reclaim policy() {
    constexpr Reclaim kPolicies[] = {Reclaim::kNever, Reclaim::kLowerPriority, Reclaim::kLowerOrNewerEqualPriority,
                                     Reclaim::kAny};
    return kPolicies[below(4)];
  }
  void add_queues() {
    const bool has_levels = below(2) == 0;
    if (has_levels) {
      jobs.world.add_cohort("left", "root");
      jobs.world.add_cohort("right", "root");
    }
    queues_ = 2 + below(3);
    for (int i = 0; i < queues_; ++i) {
      QueueBuilder queue(std::string(1, static_cast<char>('a' + i)));
      queue.cohort(has_levels ? (below(2) == 0 ? "left" : "right") : "root");
      const auto limit = [this] { return below(4) == 0 ? std::optional(std::to_string(below(5))) : std::nullopt; };
      queue.quota("f", std::to_string(below(5)), limit(), limit());
      if (below(3) == 0) queue.quota("g", std::to_string(below(3)));
      queue.within(below(2) == 0 ? Reclaim::kLowerPriority : Reclaim::kLowerOrNewerEqualPriority).reclaim(policy());
      if (below(3) == 0) queue.borrow_within(Reclaim::kLowerPriority, below(2));
      if (below(4) == 0) queue.strict();
      if (below(3) == 0) queue.weight(std::to_string(below(3)));
      jobs.world.add(queue);
    }
  }
  void arrive(int number) {
    WorkloadBuilder job("w" + std::to_string(number), std::string(1, static_cast<char>('a' + below(queues_))));
    job.gpus(std::to_string(1 + below(4))).priority(below(3)).created(1 + below(4));
    jobs.submit(job);
    ++count_;
    for (int rounds = below(4); rounds > 0; --rounds) jobs.decide_and_stop(static_cast<std::size_t>(below(3)));
  }

  Rng random_;
  int queues_ = 0;
  std::size_t count_ = 0;

 public:
  StoppedJobs jobs;
};

TEST(PreemptionLoops, EndWhateverTheQueuesAre) {
  const int first = cluster::testing::number_of("LOADLINE_LOOPS_FIRST_SEED", 1);
  const int seeds = cluster::testing::number_of("LOADLINE_LOOPS_SEEDS", 2000);
  int endless = 0;
  for (int seed = first; seed < first + seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    LoopWorld world(static_cast<std::uint64_t>(seed), RepeatedPreemption::kRefused);
    const std::size_t most = world.count() * (world.count() - 1) / 2;
    ASSERT_TRUE(world.jobs.settles(most)) << "n·(n−1)/2 preemptions are the most that there can be";
    std::set<std::pair<WorkloadId, WorkloadId>> seen;
    for (const auto& [victim, preemptor] : world.jobs.preemptions) {
      EXPECT_TRUE(seen.emplace(victim, preemptor).second) << "never twice";
      EXPECT_FALSE(seen.contains({preemptor, victim})) << "never in turn";
    }
    LoopWorld upstream(static_cast<std::uint64_t>(seed), RepeatedPreemption::kAsUpstream);
    endless += upstream.jobs.settles(1000) ? 0 : 1;
  }
  if (seeds < 2000) return;
  EXPECT_GT(endless, seeds / 2000) << "among them are worlds in which Kueue's preemption has no end";
}

}  // namespace
}  // namespace loadline::queue::kueue

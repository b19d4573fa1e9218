#include "brain/queue/kueue/tournament.h"

#include <gtest/gtest.h>

#include "brain/queue/kueue/testing/world.h"

namespace loadline::queue::kueue {
namespace {

using testing::QueueBuilder;
using testing::WorkloadBuilder;
using testing::World;

Settings with_fair_sharing() {
  Settings settings;
  settings.fair_sharing.emplace();
  return settings;
}

class TournamentTest : public ::testing::Test {
 protected:
  explicit TournamentTest(Settings settings = with_fair_sharing()) : world_(std::move(settings)) {}

  /// The heads, in the order in which they were processed.
  std::string order() {
    std::string names;
    for (const Decision& it : world_.round().decisions) names += world_.name(it.workload) + " ";
    return names;
  }
  World world_;
};

TEST_F(TournamentTest, TheSmallerShareWithTheWorkloadIsFirst) {
  world_.add(QueueBuilder("lender").cohort("C").quota("f", "100"));
  for (const char* name : {"a", "b", "c"}) world_.add(QueueBuilder(name).cohort("C").quota("f", "0"));
  world_.submit(WorkloadBuilder("a3", "a").gpus("3").priority(9));
  world_.submit(WorkloadBuilder("b1", "b").gpus("1"));
  world_.submit(WorkloadBuilder("c2", "c").gpus("2"));
  EXPECT_EQ(order(), "b1 c2 a3 ");
}

TEST_F(TournamentTest, WeightsCount) {
  world_.add(QueueBuilder("lender").cohort("C").quota("f", "100"));
  world_.add(QueueBuilder("a").cohort("C").quota("f", "0").weight("10"));
  world_.add(QueueBuilder("b").cohort("C").quota("f", "0"));
  world_.submit(WorkloadBuilder("a3", "a").gpus("3"));
  world_.submit(WorkloadBuilder("b1", "b").gpus("1"));
  EXPECT_EQ(order(), "a3 b1 ");
}

TEST_F(TournamentTest, OfEqualSharesPriorityThenTimeThenNames) {
  world_.add(QueueBuilder("lender").cohort("C").quota("f", "100"));
  for (const char* name : {"a", "b", "c", "d"}) world_.add(QueueBuilder(name).cohort("C").quota("f", "0"));
  world_.submit(WorkloadBuilder("b-same", "b").gpus("1").created(3));
  world_.submit(WorkloadBuilder("a-same", "a").gpus("1").created(3));
  world_.submit(WorkloadBuilder("c-old", "c").gpus("1").created(2));
  world_.submit(WorkloadBuilder("d-high", "d").gpus("1").created(9).priority(1));
  EXPECT_EQ(order(), "d-high c-old a-same b-same ");
}

/// On "cpu" a borrows much; on what its workload asks for, nothing.
void borrow_cpus(World& world) {
  world.add(QueueBuilder("lender").cohort("C").quotas("f", {{"cpu", "10"}, {"gpu", "10"}}));
  world.add(QueueBuilder("a").cohort("C").quotas("f", {{"cpu", "0"}, {"gpu", "4"}}));
  world.add(QueueBuilder("b").cohort("C").quotas("f", {{"cpu", "0"}, {"gpu", "0"}}));
  world.run(WorkloadBuilder("cpus", "a").pods(1, {{"cpu", "8"}}));
  world.submit(WorkloadBuilder("a1", "a").gpus("1"));
  world.submit(WorkloadBuilder("b1", "b").gpus("1"));
}

TEST_F(TournamentTest, ThoseWithinQuotaOfWhatTheyAskForComeFirst) {
  borrow_cpus(world_);
  EXPECT_EQ(order(), "a1 b1 ");
}

class WithoutTheGate : public TournamentTest {
 protected:
  WithoutTheGate()
      : TournamentTest([] {
          Settings settings = with_fair_sharing();
          settings.prefers_those_within_quota = false;
          return settings;
        }()) {}
};

TEST_F(WithoutTheGate, SharesAloneCount) {
  borrow_cpus(world_);
  EXPECT_EQ(order(), "b1 a1 ");
}

TEST_F(TournamentTest, CohortsAreComparedBeforeTheirQueues) {
  world_.add_cohort("R", "").add_cohort("L", "R").add_cohort("M", "R");
  world_.add(QueueBuilder("lender").cohort("R").quota("f", "100"));
  for (const auto& [name, cohort] : {std::pair("l1", "L"), {"l2", "L"}, {"m1", "M"}}) {
    world_.add(QueueBuilder(name).cohort(cohort).quota("f", "0"));
  }
  world_.run(WorkloadBuilder("running", "l1").gpus("10"));
  // l2 uses nothing, but its side uses more than m1's.
  world_.submit(WorkloadBuilder("l2-1", "l2").gpus("1"));
  world_.submit(WorkloadBuilder("m1-5", "m1").gpus("5"));
  EXPECT_EQ(order(), "m1-5 l2-1 ");
}

TEST_F(TournamentTest, LosersAreComparedAnew) {
  world_.add_cohort("R", "").add_cohort("L", "R").add_cohort("M", "R");
  world_.add(QueueBuilder("lender").cohort("R").quota("f", "100"));
  for (const auto& [name, cohort] : {std::pair("l1", "L"), {"l2", "L"}, {"m1", "M"}, {"m2", "M"}}) {
    world_.add(QueueBuilder(name).cohort(cohort).quota("f", "0"));
  }
  world_.submit(WorkloadBuilder("l1-2", "l1").gpus("2"));
  world_.submit(WorkloadBuilder("l2-2", "l2").gpus("2"));
  world_.submit(WorkloadBuilder("m1-3", "m1").gpus("3"));
  world_.submit(WorkloadBuilder("m2-3", "m2").gpus("3"));
  // After l1-2, the side L has 2, and would have 4.
  EXPECT_EQ(order(), "l1-2 m1-3 l2-2 m2-3 ");
}

TEST_F(TournamentTest, TreesComeByTheNamesOfTheirQueues) {
  world_.add(QueueBuilder("z").cohort("A").quota("f", "9")).add(QueueBuilder("a").quota("f", "9"));
  world_.add(QueueBuilder("b").cohort("Z").quota("f", "9")).add(QueueBuilder("c").cohort("A").quota("f", "9"));
  for (const char* name : {"z", "a", "b", "c"}) world_.submit(WorkloadBuilder(name, name).gpus("1"));
  EXPECT_EQ(order(), "a b c z ");
}

}  // namespace
}  // namespace loadline::queue::kueue

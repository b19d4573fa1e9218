// Who starts when while a group waits: planned starts, and who may pass them.
#include "brain/engine/start_promises.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "brain/cluster/testing/seeds.h"
#include "brain/engine/testing/dispatcher_fixture.h"
#include "foundation/base/rng.h"

namespace loadline::engine {
namespace {

using engine::testing::GroupId;
using engine::testing::node;
using engine::testing::NodeId;
using engine::testing::pod;
using engine::testing::PodBuilder;
using engine::testing::PodId;
using gang::Backfill;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Instant kStart = Instant{} + Duration::seconds(1'000'000);

Instant at(std::int64_t seconds) { return kStart + Duration::seconds(seconds); }

class StartPromisesTest : public engine::testing::DispatcherFixture {
 protected:
  void choose(Backfill backfill, std::size_t depth = gang::Switches{}.backfill_depth) {
    gang::Switches switches;
    switches.backfill = backfill;
    switches.backfill_depth = depth;
    dispatcher().set_switches(switches);
  }
  void set_now(std::int64_t seconds) { dispatcher().set_now(at(seconds)); }
  static PodBuilder gpus(const std::string& name, int count) {
    return pod(name).request("nvidia.com/gpu", std::to_string(count));
  }
  static cluster::testing::NodeBuilder machine(const std::string& name, int count = 8) {
    return node(name).allocatable("nvidia.com/gpu", std::to_string(count)).allocatable("cpu", "64");
  }
  /// Runs there, from the beginning.
  PodId runs(const std::string& name, NodeId where, int count, std::optional<std::int64_t> span) {
    const PodId id = add(gpus(name, count), where);
    cluster_.set_started(id, kStart);
    if (span) cluster_.set_expected_run(id, Duration::seconds(*span));
    return id;
  }
  std::vector<PodId> gang(const std::string& name, int size, int count, std::optional<std::int64_t> span = {},
                          std::int32_t priority = 0) {
    describe(name, size);
    std::vector<PodId> pods;
    for (int i = 0; i < size; ++i) {
      PodBuilder member = gpus(name + '-' + std::to_string(i), count);
      pods.push_back(add(member.group(name).priority(priority)));
      if (span) cluster_.set_expected_run(pods.back(), Duration::seconds(*span));
      dispatcher().add(pods.back());
    }
    return pods;
  }
  PodId single(const std::string& name, int count, std::optional<std::int64_t> span, std::int32_t priority = 0) {
    PodBuilder builder = gpus(name, count);
    const PodId id = add(builder.priority(priority));
    if (span) cluster_.set_expected_run(id, Duration::seconds(*span));
    dispatcher().add(id);
    return id;
  }
  void ends(PodId id) {
    cluster_.remove_pod(id);
    dispatcher().capacity_freed();
  }
  static std::vector<PassingRule> rules(const std::vector<Passing>& passed) {
    std::vector<PassingRule> rules;
    for (const Passing& each : passed) rules.push_back(each.rule);
    return rules;
  }
  bool is_placed(PodId id) { return cluster_.pod(id).node.valid(); }
  /// When the group is planned to start, in seconds from the beginning; -1: it has no planned start.
  std::int64_t planned(const std::string& name) {
    const gang::PlannedStart* start = dispatcher().promises().of(Unit(cluster_.find_group("default", name)));
    return start == nullptr ? -1 : (start->at - kStart).nanoseconds / 1'000'000'000;
  }
};

TEST_F(StartPromisesTest, AGroupStartsWhenTheLastOfThoseEndsThatItNeedsGone) {
  const NodeId a = add(machine("a"));
  const NodeId b = add(machine("b"));
  const NodeId c = add(machine("c"));
  runs("x", a, 8, 300);
  runs("y", b, 8, 100);
  runs("z", c, 8, 200);
  set_now(0);
  gang("train", 2, 8, 1000);
  const std::vector<Turn> turns = take_turns();
  ASSERT_THAT(turns, SizeIs(1));
  ASSERT_TRUE(turns[0].planned_start);
  EXPECT_EQ(planned("train"), 200);
  EXPECT_THAT(turns[0].planned_start->places, SizeIs(2));
  EXPECT_THAT(turns[0].awaits, SizeIs(2)) << "y and z";
}

TEST_F(StartPromisesTest, WhoEndsByThenPassesAndWhoDoesNotWaits) {
  const NodeId a = add(machine("a"));
  add(machine("b"));
  runs("x", a, 8, 100);
  set_now(0);
  gang("train", 2, 8, 1000);
  const PodId quick = single("quick", 4, 100);
  const PodId slow = single("slow", 4, 101);
  const PodId unknown = single("unknown", 4, {});
  const std::vector<Turn> turns = take_turns();
  EXPECT_TRUE(is_placed(quick));
  EXPECT_FALSE(is_placed(slow));
  EXPECT_FALSE(is_placed(unknown)) << "who does not say when it ends is taken to stay";
  ASSERT_THAT(turns, SizeIs(4));
  const Unit train(cluster_.find_group("default", "train"));
  EXPECT_THAT(turns[1].passed, ElementsAre(Passing{train, at(100), PassingRule::kEndsBefore}));
  EXPECT_THAT(turns[2].passed, IsEmpty()) << "it passes nobody";
  EXPECT_THAT(turns[2].pods[0].message,
              HasSubstr("would move the planned start of pod group default/train at 1970-01-12T13:48:20Z"));
  EXPECT_EQ(turns[2].pods[0].held_by, Unit(cluster_.find_group("default", "train")));
}

TEST_F(StartPromisesTest, WhoTakesWhatIsLeftOverPassesHoweverLongItRuns) {
  const NodeId a = add(machine("a"));
  add(machine("b"));
  runs("x", a, 8, 100);
  set_now(0);
  gang("train", 2, 6, 1000);
  const PodId slow = single("slow", 2, {});
  const PodId too_much = single("much", 3, {});
  const std::vector<Turn> turns = take_turns();
  EXPECT_THAT(rules(turns[1].passed), ElementsAre(PassingRule::kFitsBeside));
  EXPECT_TRUE(is_placed(slow));
  EXPECT_FALSE(is_placed(too_much));
  EXPECT_EQ(planned("train"), 100);
}

TEST_F(StartPromisesTest, ThePlannedPlacesMoveAsideIfOthersAreFreeByThen) {
  const NodeId a = add(machine("a"));
  add(machine("b"));
  const NodeId c = add(machine("c"));
  runs("x", a, 8, 100);
  runs("y", c, 8, 100);
  set_now(0);
  gang("train", 2, 8, 1000);
  // At 100 s there are three free machines, of which two are planned; only b is free now.
  const PodId slow = single("slow", 8, {});
  const std::vector<Turn> turns = take_turns();
  EXPECT_TRUE(is_placed(slow));
  EXPECT_THAT(rules(turns[1].passed), ElementsAre(PassingRule::kPlannedAnew));
  EXPECT_EQ(planned("train"), 100);
  const gang::PlannedStart* start = dispatcher().promises().of(Unit(cluster_.find_group("default", "train")));
  EXPECT_TRUE(std::ranges::none_of(start->places, [&](const auto& place) { return place.node == NodeId(1); }));
}

TEST_F(StartPromisesTest, WhoPassesGoesWhereThePlannedPlacesHoldBesideIt) {
  const NodeId a = add(machine("a"));
  const NodeId b = add(machine("b"));
  const NodeId c = add(machine("c"));
  runs("x", a, 8, 100);
  runs("y", c, 4, {});
  set_now(0);
  gang("train", 2, 8, 1000);
  // The empty machine b has the best scores, and the gang needs all of it.
  const PodId slow = single("slow", 2, {});
  const std::vector<Turn> turns = take_turns();
  EXPECT_EQ(cluster_.pod(slow).node, c);
  EXPECT_EQ(planned("train"), 100);
  EXPECT_THAT(rules(turns[1].passed), ElementsAre(PassingRule::kMovedBeside));
  EXPECT_TRUE(cluster_.pods_on(b).empty());
}

TEST_F(StartPromisesTest, AGroupToldOfThoseItPasses) {
  const NodeId a = add(machine("a"));
  add(machine("b"));
  runs("x", a, 8, 100);
  set_now(0);
  gang("train", 2, 8, 1000);
  gang("quick", 2, 4, 50);
  const std::vector<Turn> turns = take_turns();
  EXPECT_EQ(turns[1].verdict, gang::Verdict::kStarts);
  EXPECT_THAT(turns[1].passed,
              ElementsAre(Passing{Unit(cluster_.find_group("default", "train")), at(100), PassingRule::kEndsBefore}));
}

TEST_F(StartPromisesTest, NothingWaitsForAGroupOfWhichNobodyKnowsWhenItFits) {
  const NodeId a = add(machine("a"));
  add(machine("b"));
  runs("x", a, 8, {});
  set_now(0);
  gang("train", 2, 8, 1000);
  const PodId slow = single("slow", 8, {});
  take_turns();
  EXPECT_EQ(planned("train"), -1);
  EXPECT_TRUE(is_placed(slow));
}

TEST_F(StartPromisesTest, WhatHasMorePriorityIsNotHeld) {
  const NodeId a = add(machine("a"));
  add(machine("b"));
  runs("x", a, 8, 100);
  set_now(0);
  gang("train", 2, 8, 1000);
  take_turns();
  EXPECT_EQ(planned("train"), 100);
  const PodId urgent = single("urgent", 8, 500, 1);
  const std::vector<Turn> turns = take_turns();
  EXPECT_TRUE(is_placed(urgent));
  EXPECT_THAT(turns.front().passed, IsEmpty()) << "it is before the gang in line";
  cluster_.set_started(urgent, kStart);
  dispatcher().retry(cluster_.group(cluster_.find_group("default", "train")).members.front());
  take_turns();
  EXPECT_EQ(planned("train"), 500) << "the promise is broken, and made anew";
}

TEST_F(StartPromisesTest, SkipAheadPlansNothing) {
  const NodeId a = add(machine("a"));
  add(machine("b"));
  runs("x", a, 8, 100);
  choose(Backfill::kSkipAhead);
  set_now(0);
  gang("train", 2, 8, 1000);
  const PodId slow = single("slow", 8, {});
  take_turns();
  EXPECT_EQ(planned("train"), -1);
  EXPECT_TRUE(is_placed(slow));
}

TEST_F(StartPromisesTest, SinglePodsAloneHoldNobody) {
  const NodeId a = add(machine("a"));
  const NodeId b = add(machine("b"));
  runs("x", a, 4, 100);
  runs("y", b, 4, 100);
  set_now(0);
  single("large", 8, 1000);
  const PodId slow = single("slow", 4, {});
  take_turns();
  EXPECT_TRUE(is_placed(slow));
  EXPECT_TRUE(dispatcher().promises().empty());
}

TEST_F(StartPromisesTest, APodBeforeTheFirstGroupIsPlannedForItsSake) {
  const NodeId a = add(machine("a"));
  const NodeId b = add(machine("b"));
  runs("x", a, 4, 100);
  runs("y", b, 8, 200);
  set_now(0);
  const PodId large = single("large", 8, 1000);
  gang("train", 2, 4, 1000);
  const PodId slow = single("slow", 4, {});
  take_turns();
  ASSERT_NE(dispatcher().promises().of(Unit(large)), nullptr);
  EXPECT_EQ(dispatcher().promises().of(Unit(large))->at, at(100));
  EXPECT_EQ(planned("train"), 200) << "on machine b: a is the single pod's by then";
  EXPECT_FALSE(is_placed(slow)) << "it would take half of what the single pod needs";
}

TEST_F(StartPromisesTest, EasyPlansTheFirstGroupAndConservativeTheNextOnesToo) {
  const NodeId a = add(machine("a"));
  const NodeId b = add(machine("b"));
  const NodeId c = add(machine("c"));
  runs("x", a, 8, 100);
  runs("y", b, 8, 100);
  runs("z", c, 4, 300);
  choose(Backfill::kConservative);
  set_now(0);
  gang("first", 2, 8, 1000);
  gang("second", 1, 8, 1000);
  gang("third", 2, 8, 1000);
  const PodId slow = single("slow", 4, {});
  take_turns();
  EXPECT_EQ(planned("first"), 100);
  EXPECT_EQ(planned("second"), 300);
  EXPECT_EQ(planned("third"), 1100) << "when the first has ended";
  EXPECT_FALSE(is_placed(slow)) << "the second needs its room at 300 s";
  choose(Backfill::kEasy);
  dispatcher().capacity_freed();
  take_turns();
  EXPECT_EQ(planned("first"), 100);
  EXPECT_EQ(planned("second"), -1);
  EXPECT_TRUE(is_placed(slow));
}

TEST_F(StartPromisesTest, NoMoreUnitsHaveAPlannedStartThanTheDepthAllows) {
  const NodeId a = add(machine("a"));
  runs("x", a, 8, 100);
  choose(Backfill::kConservative, 2);
  set_now(0);
  for (const char* name : {"first", "second", "third"}) gang(name, 1, 8, 1000);
  take_turns();
  EXPECT_EQ(planned("first"), 100);
  EXPECT_EQ(planned("second"), 1100);
  EXPECT_EQ(planned("third"), -1);
  choose(Backfill::kConservative, 3);
  dispatcher().capacity_freed();
  take_turns();
  EXPECT_EQ(planned("first"), 100);
  EXPECT_EQ(planned("second"), 1100);
  EXPECT_EQ(planned("third"), 2100);
}

TEST_F(StartPromisesTest, AnEarlyEndBringsTheStartForward) {
  const NodeId a = add(machine("a"));
  const NodeId b = add(machine("b"));
  const PodId x = runs("x", a, 8, 1000);
  const PodId y = runs("y", b, 8, 500);
  set_now(0);
  gang("train", 2, 8, 1000);
  take_turns();
  EXPECT_EQ(planned("train"), 1000);
  set_now(50);
  ends(x);
  take_turns();
  EXPECT_EQ(planned("train"), 500);
  set_now(60);
  ends(y);
  take_turns();
  EXPECT_EQ(planned("train"), -1);
  EXPECT_EQ(cluster_.group(cluster_.find_group("default", "train")).placed, 2U);
}

TEST_F(StartPromisesTest, WhoOutlivesItsEndMovesTheStart) {
  const NodeId a = add(machine("a"));
  const NodeId b = add(machine("b"));
  runs("x", a, 8, 100);
  const PodId y = runs("y", b, 8, 50);
  set_now(0);
  gang("train", 2, 8, 1000);
  take_turns();
  EXPECT_EQ(planned("train"), 100);
  set_now(50);
  ends(y);
  take_turns();
  set_now(130);
  dispatcher().capacity_freed();
  take_turns();
  EXPECT_EQ(planned("train"), 160) << "a minute after its expected end";
}

TEST_F(StartPromisesTest, APromiseThatSlipsByMoreThanItWasLongHoldsNobodyAnyMore) {
  const NodeId a = add(machine("a"));
  add(machine("b"));
  runs("liar", a, 8, 10'000);
  set_now(9'600);
  gang("train", 2, 8, 1000);
  const PodId unknown = single("unknown", 8, {});
  take_turns();
  EXPECT_EQ(planned("train"), 10'000);
  std::int64_t last = 10'000;
  for (std::int64_t now = 10'000; now <= 10'470; now += 10) {
    set_now(now);
    if (dispatcher().flush_unschedulable()) take_turns();
    if (planned("train") >= 0) last = planned("train");
    if (is_placed(unknown)) break;
  }
  EXPECT_EQ(last, 10'240) << "the next time would be 10,480 s: 480 s after a promise of 400 s";
  EXPECT_EQ(planned("train"), -1);
  EXPECT_TRUE(is_placed(unknown));
}

TEST_F(StartPromisesTest, WhatIsTerminatingForEverHoldsNobodyForEver) {
  const NodeId a = add(machine("a"));
  add(machine("b"));
  dispatcher().leaving(runs("stuck", a, 8, {}), false);
  set_now(0);
  gang("train", 2, 8, 1000);
  const PodId unknown = single("unknown", 8, {});
  take_turns();
  EXPECT_EQ(planned("train"), 60);
  for (std::int64_t now = 0; now <= 400 && !is_placed(unknown); now += 10) {
    set_now(now);
    if (dispatcher().flush_unschedulable()) take_turns();
  }
  EXPECT_TRUE(is_placed(unknown));
}

TEST_F(StartPromisesTest, AnEstimateThatIsRefutedAlreadyPromisesNothing) {
  const NodeId a = add(machine("a"));
  add(machine("b"));
  runs("liar", a, 8, 600);
  set_now(1'201);
  gang("train", 2, 8, 1000);
  const PodId unknown = single("unknown", 8, {});
  take_turns();
  EXPECT_EQ(planned("train"), -1);
  EXPECT_TRUE(is_placed(unknown));
}

TEST_F(StartPromisesTest, ARefutedEstimateMovesNoStartThatDoesNotNeedIt) {
  const NodeId a = add(machine("a"));
  const NodeId b = add(machine("b"));
  add(machine("c"));
  runs("liar", a, 8, 100);
  runs("x", b, 8, 5'000);
  set_now(0);
  gang("train", 2, 8, 1000);
  const PodId unknown = single("unknown", 8, {});
  take_turns();
  EXPECT_EQ(planned("train"), 100);
  for (std::int64_t now = 100; now <= 2'000; now += 10) {
    set_now(now);
    if (dispatcher().flush_unschedulable()) take_turns();
  }
  EXPECT_EQ(planned("train"), 5'000) << "on b and c";
  EXPECT_FALSE(is_placed(unknown));
}

TEST_F(StartPromisesTest, UnitsThatNoNodeCouldEverHoldTakeNoPlaceInLine) {
  const NodeId a = add(machine("a"));
  add(machine("b"));
  runs("x", a, 8, 100);
  choose(Backfill::kEasy, 2);
  set_now(0);
  for (int i = 0; i < 3; ++i) {
    const std::string name = std::to_string(i);
    gang("nowhere-" + name, 2, 9, 1000);
    gang("everywhere-" + name, 3, 8, 1000);
    PodBuilder elsewhere = gpus("elsewhere-" + name, 1);
    dispatcher().add(add(elsewhere.selects_nodes("zone", "mars")));
  }
  gang("train", 2, 8, 1000);
  const PodId unknown = single("unknown", 8, {});
  take_turns();
  EXPECT_EQ(planned("train"), 100);
  EXPECT_FALSE(is_placed(unknown));
  // A node that comes may hold them.
  add(machine("c"));
  dispatcher().capacity_freed();
  take_turns();
  EXPECT_EQ(cluster_.group(cluster_.find_group("default", "train")).placed, 2U);
  EXPECT_EQ(planned("everywhere-0"), 1'000) << "on three machines, once train has ended";
}

TEST_F(StartPromisesTest, WhoWasHeldStartsOnceTheGroupIsGone) {
  const NodeId a = add(machine("a"));
  add(machine("b"));
  runs("x", a, 8, 100);
  set_now(0);
  const std::vector<PodId> train = gang("train", 2, 8, 1000);
  const PodId slow = single("slow", 8, {});
  take_turns();
  EXPECT_FALSE(is_placed(slow));
  for (const PodId each : train) {
    dispatcher().withdraw(each);
    cluster_.remove_pod(each);
  }
  take_turns();
  EXPECT_TRUE(is_placed(slow));
}

TEST_F(StartPromisesTest, NobodyIsEvictedForWhoWouldMoveAPlannedStart) {
  const NodeId a = add(machine("a"));
  const NodeId b = add(machine("b"));
  runs("x", a, 8, 100);
  PodBuilder low = gpus("low", 8);
  const PodId victim = add(low.priority(-5), b);
  cluster_.set_started(victim, kStart);
  cluster_.set_expected_run(victim, Duration::seconds(100));
  set_now(0);
  gang("train", 2, 8, 1000, -5);
  take_turns();
  EXPECT_EQ(planned("train"), 100);
  const PodId slow = single("slow", 8, {}, -5);
  take_turns();
  EXPECT_FALSE(is_placed(slow));
  EXPECT_TRUE(is_placed(victim));
}

// ---- promises are kept ----------------------------------------------------------------------------------------------

/// A random history in which everything runs as long as it says, nothing has more priority than another, and no node
/// goes: no group starts later than it was first promised. LOADLINE_PROMISE_SEEDS runs more of these histories,
/// LOADLINE_PROMISE_FIRST_SEED other ones.
class PromiseHistory : public ::testing::TestWithParam<int> {};

enum class Estimates : std::uint8_t { kTrue, kSomeWrong };

class History {
 public:
  History(std::uint64_t seed, Retries retries, Estimates estimates = Estimates::kTrue)
      : rng_(seed), estimates_(estimates) {
    placement::Extensions none;
    dispatcher_ = std::make_unique<Dispatcher>(
        cluster_, *placement::Scheduler::make(cluster_, registry(), kube::SchedulerConfiguration(), none), retries);
    gang::Switches switches;
    switches.backfill = rng_.below(2) == 0 ? Backfill::kEasy : Backfill::kConservative;
    dispatcher_->set_switches(switches);
    const std::uint64_t nodes = 2 + rng_.below(5);
    for (std::uint64_t i = 0; i < nodes; ++i) {
      cluster_.add_node(node("n" + std::to_string(i))
                            .allocatable("nvidia.com/gpu", std::to_string(4 + 4 * rng_.below(2)))
                            .allocatable("cpu", std::to_string(8 + rng_.below(24))));
    }
  }

  void run() {
    for (int step = 0; step < 40; ++step) {
      advance(now_ + static_cast<std::int64_t>(rng_.below(30)));
      if (rng_.below(3) > 0) arrive();
      work();
    }
    while (!ends_.empty()) advance(ends_.begin()->first);
  }

  /// Of works whose estimates are wrong, none ends. Returns how many start once nothing is planned any more, long after
  /// the last other one has ended: those that waited for promises that nobody can keep.
  std::size_t started_without_promises() {
    run();
    for (int ticks = 0; ticks < 400; ++ticks) {
      advance(now_ + 10);
      dispatcher_->set_now(at(now_));
      if (dispatcher_->flush_unschedulable()) work();
    }
    const std::size_t before = starts_;
    dispatcher_->set_switches({.backfill = Backfill::kSkipAhead});
    dispatcher_->capacity_freed();
    work();
    return starts_ - before;
  }

  std::size_t promised = 0;

 private:
  struct Work {
    std::vector<PodId> pods;
    std::int64_t span = 0;
    bool has_started = false;
    std::optional<std::int64_t> promise;
  };

  void arrive() {
    const std::string name = "w" + std::to_string(works_.size());
    Work work;
    work.span = 1 + static_cast<std::int64_t>(rng_.below(100));
    const std::uint64_t size = rng_.below(2) == 0 ? 1 : 1 + rng_.below(6);
    const bool is_group = size > 1 || rng_.below(2) == 0;
    if (is_group) {
      kube::PodGroup group;
      group.metadata.namespace_ = "default";
      group.metadata.name = name;
      group.policy.min_count = static_cast<std::int32_t>(size);
      cluster_.set_pod_group(group);
    }
    const bool is_mixed = rng_.below(3) == 0;
    const bool says_nothing = estimates_ == Estimates::kSomeWrong && rng_.below(3) == 0;
    std::uint64_t gpus = 1 + rng_.below(6);
    for (std::uint64_t i = 0; i < size; ++i) {
      if (is_mixed) gpus = 1 + rng_.below(6);
      PodBuilder builder = pod(name + '-' + std::to_string(i))
                               .request("nvidia.com/gpu", std::to_string(gpus))
                               .request("cpu", std::to_string(1 + rng_.below(6)));
      if (is_group) builder.group(name);
      if (is_group && rng_.below(6) == 0) {
        builder.label("app", name);
        builder.away_from(cluster::testing::pods_with("app", name, "kubernetes.io/hostname"));
      }
      work.pods.push_back(cluster_.add_pod(builder));
      if (says_nothing) continue;
      cluster_.set_expected_run(work.pods.back(), Duration::seconds(work.span));
    }
    for (const PodId each : work.pods) {
      work_of_[each] = works_.size();
      dispatcher_->add(each);
    }
    works_.push_back(std::move(work));
  }

  /// What ends by then ends at its time, and the scheduler has its turns.
  void advance(std::int64_t to) {
    while (!ends_.empty() && ends_.begin()->first <= to) {
      now_ = ends_.begin()->first;
      for (auto due = ends_.begin(); due != ends_.end() && due->first == now_; due = ends_.erase(due)) {
        for (const PodId each : works_[due->second].pods) cluster_.remove_pod(each);
      }
      dispatcher_->capacity_freed();
      work();
    }
    now_ = to;
  }

  void work() {
    dispatcher_->set_now(at(now_));
    while (const std::optional<Unit> unit = dispatcher_->next()) {
      const Turn turn = dispatcher_->take(*unit);
      for (const PodTurn& each : turn.pods) {
        if (each.node.valid()) started(work_of_.at(each.pod), each.pod);
      }
    }
    for (const auto& [unit, start] : dispatcher_->promises().all()) {
      if (!unit.is_group()) continue;
      Work& work = works_[work_of_.at(start->places.front().pod)];
      const std::int64_t planned = (start->at - kStart).nanoseconds / 1'000'000'000;
      if (estimates_ == Estimates::kTrue) {
        EXPECT_GE(planned, now_);
      }
      if (work.promise && estimates_ == Estimates::kTrue) {
        EXPECT_LE(planned, *work.promise) << "a promise was moved back";
      } else {
        ++promised;
      }
      work.promise = planned;
    }
  }

  void started(std::size_t index, PodId pod) {
    Work& work = works_[index];
    cluster_.set_started(pod, at(now_));
    if (work.has_started) return;
    work.has_started = true;
    ++starts_;
    if (work.promise && estimates_ == Estimates::kTrue) {
      EXPECT_LE(now_, *work.promise) << "work " << index << " started later than promised";
    }
    const bool is_wrong = estimates_ == Estimates::kSomeWrong && rng_.below(4) == 0;
    if (!is_wrong) ends_.emplace(now_ + work.span, index);
  }

  Rng rng_;
  Estimates estimates_;
  std::size_t starts_ = 0;
  cluster::Cluster cluster_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::int64_t now_ = 0;
  std::vector<Work> works_;
  std::map<PodId, std::size_t> work_of_;
  std::multimap<std::int64_t, std::size_t> ends_;
};

TEST_P(PromiseHistory, NothingStartsLaterThanItWasFirstPromised) {
  for (const Retries retries : {Retries::kAtOnce, Retries::kWithRoom}) {
    History history(static_cast<std::uint64_t>(GetParam()), retries);
    history.run();
    if (HasFailure()) {
      FAIL() << "LOADLINE_PROMISE_FIRST_SEED=" << GetParam() << " LOADLINE_PROMISE_SEEDS=1 repeats it";
    }
  }
}

TEST_P(PromiseHistory, NothingWaitsForEverForPromisesThatNobodyCanKeep) {
  for (const Retries retries : {Retries::kAtOnce, Retries::kWithRoom}) {
    History history(static_cast<std::uint64_t>(GetParam()), retries, Estimates::kSomeWrong);
    EXPECT_EQ(history.started_without_promises(), 0U)
        << "LOADLINE_PROMISE_FIRST_SEED=" << GetParam() << " LOADLINE_PROMISE_SEEDS=1 repeats it";
  }
}

// A group of as much room as one before it, which was refused it, had no turn when its planned start had come.
INSTANTIATE_TEST_SUITE_P(SeedsThatFoundFaults, PromiseHistory, ::testing::Values(9226));

const int kFirstPromiseSeed = cluster::testing::number_of("LOADLINE_PROMISE_FIRST_SEED", 1);
INSTANTIATE_TEST_SUITE_P(
    Seeds, PromiseHistory,
    ::testing::Range(kFirstPromiseSeed, kFirstPromiseSeed + cluster::testing::number_of("LOADLINE_PROMISE_SEEDS", 60)));

}  // namespace
}  // namespace loadline::engine

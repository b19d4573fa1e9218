// Who starts when while a group waits: planned starts, and who may pass them.
#include "brain/engine/start_promises.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "brain/engine/testing/dispatcher_fixture.h"

namespace loadline::engine {

using decision::Passing;
using decision::PassingRule;
using decision::Turn;
using decision::Unit;

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
  EXPECT_THAT(said(turns[2].pods[0]),
              HasSubstr("would move the planned start of pod group default/train at 1970-01-12T13:48:20Z"));
  EXPECT_EQ(turns[2].pods[0].why.held_by(), Unit(cluster_.find_group("default", "train")));
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
  dispatcher().leaving(runs("stuck", a, 8, {}));
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

TEST_F(StartPromisesTest, WhoWasHeldStartsOnceNoGroupIsPlannedForAnyMore) {
  const NodeId a = add(machine("a"));
  add(machine("b"));
  const NodeId c = add(machine("c").allocatable("example.com/fpga", "1"));
  runs("x", a, 8, 100);
  add(pod("fpga").request("example.com/fpga", "1"), c);
  add(gpus("z", 8), c);
  choose(Backfill::kEasy, 1);
  set_now(0);
  gang("train", 2, 8, 1000);
  const PodId slow = single("slow", 8, {});
  take_turns();
  EXPECT_EQ(planned("train"), 100);
  EXPECT_FALSE(is_placed(slow));
  // So many wait before the group that it is too far behind in line to be planned for.
  set_now(1);
  for (std::size_t i = 0; i <= StartPromises::kLookedAtPerStart; ++i) {
    PodBuilder builder = pod("urgent-" + std::to_string(i)).request("example.com/fpga", "1");
    dispatcher().add(add(builder.priority(10).never_preempts()));
  }
  take_turns();
  EXPECT_EQ(planned("train"), -1);
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

}  // namespace
}  // namespace loadline::engine

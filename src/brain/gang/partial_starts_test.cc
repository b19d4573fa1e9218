// What becomes of a group whose start was carried out only in part, or that lost members.
#include "brain/gang/partial_starts.h"

#include <gmock/gmock.h>

#include "brain/decision/eviction_text.h"
#include "brain/engine/testing/dispatcher_fixture.h"
#include "brain/gang/group_standing.h"

namespace loadline::gang {
namespace {

using decision::Eviction;
using decision::Turn;
using engine::testing::GroupId;
using engine::testing::node;
using engine::testing::NodeId;
using engine::testing::pod;
using engine::testing::PodBuilder;
using engine::testing::PodId;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Instant kStart = Instant{} + Duration::seconds(1'000'000);
constexpr Instant kInTheEnd = kStart + PartialStarts::kPatience;

class PartialStartsTest : public engine::testing::DispatcherFixture {
 protected:
  static PodBuilder member() { return pod("p").request("cpu", "2"); }
  /// A gang of which the last member's binding was refused, and now there is no room for it.
  std::vector<PodId> half_started_gang(int size = 3) {
    const NodeId a = add(node("a").allocatable("cpu", std::to_string(2 * size)));
    describe("train", size);
    std::vector<PodId> gang = submit(member(), "train", size);
    take_turns();
    EXPECT_EQ(placed(gang), static_cast<std::size_t>(size));
    cluster_.unplace(gang.back());
    add(pod("other").request("cpu", "2"), a);
    dispatcher().add(gang.back());
    take_turns();
    EXPECT_EQ(placed(gang), static_cast<std::size_t>(size - 1));
    return gang;
  }
  const cluster::PodGroup& group() { return cluster_.group(cluster_.find_group("default", "train")); }
};

TEST_F(PartialStartsTest, AGroupThatNothingCompletesGivesBackItsRoom) {
  const std::vector<PodId> gang = half_started_gang();
  EXPECT_THAT(dispatcher().overdue_starts(kStart).releases, IsEmpty());
  EXPECT_THAT(dispatcher().overdue_starts(kStart + Duration::seconds(299)).releases, IsEmpty());
  const std::vector<Eviction> releases = dispatcher().overdue_starts(kInTheEnd).releases;
  ASSERT_THAT(releases, SizeIs(1));
  EXPECT_THAT(releases[0].pods, ElementsAre(gang[0], gang[1]));
  EXPECT_EQ(decision::release_text(releases[0], cluster_),
            "2 of the 3 pods that pod group \"train\" starts with have waited too long for the rest");
  for (const PodId each : releases[0].pods) dispatcher().leaving(each);
  EXPECT_THAT(dispatcher().overdue_starts(kInTheEnd).releases, IsEmpty()) << "they are leaving already";
}

TEST_F(PartialStartsTest, TheNextTurnCompletesTheGroupIfThereIsRoom) {
  const std::vector<PodId> gang = half_started_gang();
  dispatcher().overdue_starts(kStart);
  add(node("b").allocatable("cpu", "2"));
  dispatcher().capacity_freed();
  const std::vector<Turn> turns = take_turns();
  ASSERT_THAT(turns, SizeIs(1));
  EXPECT_EQ(turns[0].verdict, Verdict::kStarts);
  EXPECT_EQ(placed(gang), 3U);
  EXPECT_THAT(dispatcher().overdue_starts(kInTheEnd).releases, IsEmpty());
}

TEST_F(PartialStartsTest, TheTimeBeginsAnewWhenTheGroupWasWholeMeanwhile) {
  const std::vector<PodId> gang = half_started_gang();
  dispatcher().overdue_starts(kStart);
  const NodeId b = add(node("b").allocatable("cpu", "2"));
  dispatcher().capacity_freed();
  take_turns();
  dispatcher().overdue_starts(kStart + Duration::seconds(100));
  cluster_.remove_node(b);
  EXPECT_THAT(dispatcher().overdue_starts(kInTheEnd).releases, IsEmpty());
  EXPECT_THAT(dispatcher().overdue_starts(kInTheEnd + PartialStarts::kPatience).releases, SizeIs(1));
}

TEST_F(PartialStartsTest, AGroupThatHasStartedLosesMembersAndKeepsTheOthers) {
  half_started_gang();
  cluster_.set_group_started(cluster_.find_group("default", "train"));
  dispatcher().overdue_starts(kStart);
  EXPECT_THAT(dispatcher().overdue_starts(kInTheEnd).releases, IsEmpty());
}

/// Two gangs that were whole on two nodes each, and lost one node each: neither can be whole where the other is.
class BrokenGroups : public PartialStartsTest {
 protected:
  void break_two(int younger_priority = 0) {
    for (const char* name : {"a", "b", "c", "d"}) add(node(name).allocatable("cpu", "2"));
    older_ = whole("older", 0);
    younger_ = whole("younger", younger_priority);
    for (std::vector<PodId>* gang : {&older_, &younger_}) {
      cluster_.remove_node(cluster_.pod(gang->back()).node);
      dispatcher().capacity_freed();
      dispatcher().add(gang->back());
    }
    take_turns();
    EXPECT_EQ(placed(older_) + placed(younger_), 2U);
    EXPECT_THAT(dispatcher().overdue_starts(kStart).releases, IsEmpty());
  }
  std::vector<PodId> whole(const std::string& name, int priority) {
    describe(name, 2);
    const std::vector<PodId> gang = submit(member().priority(priority).never_preempts(), name, 2);
    take_turns();
    EXPECT_EQ(placed(gang), 2U);
    cluster_.set_group_started(cluster_.find_group("default", name));
    return gang;
  }
  std::vector<PodId> older_, younger_;
};

TEST_F(BrokenGroups, TheYoungerGivesItsRoomToTheOlder) {
  break_two();
  const std::vector<Eviction> releases = dispatcher().overdue_starts(kInTheEnd).releases;
  ASSERT_THAT(releases, SizeIs(1));
  EXPECT_THAT(releases[0].pods, ElementsAre(younger_[0]));
  EXPECT_EQ(decision::release_text(releases[0], cluster_),
            "1 of the 2 pods that pod group \"younger\" starts with have waited too long for the rest, and pod group "
            "\"older\" starts in their room");
  dispatcher().leaving(younger_[0]);
  cluster_.remove_pod(younger_[0]);
  dispatcher().capacity_freed();
  take_turns();
  EXPECT_EQ(placed(older_), 2U);
}

TEST_F(BrokenGroups, TheLessImportantGivesItsRoom) {
  break_two(1);
  const std::vector<Eviction> releases = dispatcher().overdue_starts(kInTheEnd).releases;
  ASSERT_THAT(releases, SizeIs(1));
  EXPECT_THAT(releases[0].pods, ElementsAre(older_[0]));
}

TEST_F(BrokenGroups, NobodyGivesRoomThatHelpsNobody) {
  break_two();
  for (const PodId each : younger_) {
    if (!cluster_.pod(each).node.valid()) dispatcher().withdraw(each);
    cluster_.remove_pod(each);
  }
  add(pod("large").request("cpu", "2"), cluster_.nodes().back());
  submit(pod("nowhere").request("cpu", "64"));
  dispatcher().capacity_freed();
  take_turns();
  dispatcher().overdue_starts(kStart);
  EXPECT_THAT(dispatcher().overdue_starts(kInTheEnd).releases, IsEmpty());
}

TEST_F(BrokenGroups, ThePolicyKeepsThem) {
  break_two();
  Switches switches;
  switches.broken = gang::BrokenGroups::kKept;
  dispatcher().set_switches(switches);
  EXPECT_THAT(dispatcher().overdue_starts(kInTheEnd).releases, IsEmpty());
}

TEST_F(PartialStartsTest, TheObjectTellsWhetherItsGroupHasStarted) {
  kube::PodGroup object;
  object.metadata.namespace_ = "default";
  object.metadata.name = "train";
  object.metadata.uid = "one";
  object.policy.min_count = 2;
  cluster_.set_pod_group(object);
  EXPECT_FALSE(group().has_started);
  cluster_.set_group_started(cluster_.find_group("default", "train"));
  cluster_.set_pod_group(object);
  EXPECT_TRUE(group().has_started) << "an older version of the object takes nothing back";
  object.metadata.uid = "another";
  cluster_.set_pod_group(object);
  EXPECT_FALSE(group().has_started);
  object.conditions.emplace_back();
  object.conditions.back().type = "PodGroupScheduled";
  object.conditions.back().status = "True";
  cluster_.set_pod_group(object);
  EXPECT_TRUE(group().has_started);
}

TEST_F(PartialStartsTest, AProfileThatAsksForNoMinimumReleasesNothing) {
  kube::SchedulerProfile alone;
  alone.scheduler_name = "alone";
  alone.plugins.multi_point.disabled.push_back({"GangScheduling", {}});
  configuration_.profiles.push_back(alone);
  add(node("a").allocatable("cpu", "4"));
  describe("train", 3);
  const std::vector<PodId> gang = submit(member().scheduler("alone"), "train", 3);
  take_turns();
  EXPECT_EQ(placed(gang), 2U);
  dispatcher().overdue_starts(kStart);
  EXPECT_THAT(dispatcher().overdue_starts(kInTheEnd).releases, IsEmpty());
}

TEST_F(PartialStartsTest, MembersThatLeaveCountForNothing) {
  const std::vector<PodId> gang = half_started_gang();
  EXPECT_EQ(group().placed, 2U);
  for (const PodId each : {gang[0], gang[1]}) dispatcher().leaving(each);
  EXPECT_EQ(group().placed, 0U);
  EXPECT_TRUE(dispatcher().held_by_group(gang[2])) << "one is left of three";
  // Their replacements do not start beside those that leave, one by one: there is room for one.
  std::vector<PodId> again;
  for (const char* name : {"r", "s"}) {
    PodBuilder replacement = member();
    replacement.pod().metadata.name = name;
    again.push_back(submit(replacement.group("train")));
  }
  add(node("b").allocatable("cpu", "2"));
  dispatcher().capacity_freed();
  for (const Turn& turn : take_turns()) EXPECT_EQ(turn.verdict, Verdict::kDoesNotFit);
  EXPECT_EQ(placed(again), 0U);
  for (const PodId each : {gang[0], gang[1]}) cluster_.remove_pod(each);
  EXPECT_EQ(group().leaving, 0U);
  dispatcher().capacity_freed();
  take_turns();
  EXPECT_EQ(group().placed, 3U);
}

// ---- minimums that change, subgroups --------------------------------------------------------------------------------

/// A gang that has started with all of its pods on one node, and somebody else who could use its room.
class ChangedMinimum : public PartialStartsTest {
 protected:
  std::vector<PodId> started_gang(int size) {
    add(node("a").allocatable("cpu", std::to_string(2 * size)));
    describe("train", size);
    std::vector<PodId> gang = submit(member(), "train", size);
    take_turns();
    EXPECT_EQ(placed(gang), static_cast<std::size_t>(size));
    note_start(cluster_, cluster_.find_group("default", "train"));
    submit(pod("other").request("cpu", std::to_string(2 * size)));
    return gang;
  }
  void lose(PodId each) {
    cluster_.remove_pod(each);
    dispatcher().capacity_freed();
    take_turns();
  }
  /// How many groups give back their room in the end.
  std::size_t released() {
    dispatcher().overdue_starts(kStart);
    return dispatcher().overdue_starts(kInTheEnd).releases.size();
  }
};

TEST_F(ChangedMinimum, ThatWasRaisedIsNoLoss) {
  started_gang(2);
  describe("train", 4);
  submit(member(), "train", 2);
  take_turns();
  EXPECT_TRUE(group().is_partly_placed());
  EXPECT_EQ(released(), 0U);
}

TEST_F(ChangedMinimum, ThatWasRaisedHidesNoLoss) {
  const std::vector<PodId> gang = started_gang(2);
  describe("train", 4);
  lose(gang.back());
  EXPECT_EQ(released(), 1U);
}

TEST_F(ChangedMinimum, ThatWasLoweredAndRaisedAgainIsNoLoss) {
  const std::vector<PodId> gang = started_gang(3);
  describe("train", 2);
  lose(gang.back());
  describe("train", 3);
  EXPECT_EQ(released(), 0U);
}

TEST_F(ChangedMinimum, WhatTheObjectSaysOfAnEarlierMinimumIsTakenForWhatIsThere) {
  kube::PodGroup object;
  object.metadata.namespace_ = "default";
  object.metadata.name = "train";
  object.metadata.generation = 3;
  object.policy.min_count = 4;
  object.conditions.emplace_back();
  object.conditions.back().type = "PodGroupScheduled";
  object.conditions.back().status = "True";
  for (const std::int64_t generation : {2, 3}) {
    object.conditions.back().observed_generation = generation;
    object.metadata.uid = std::to_string(generation);
    cluster_.set_pod_group(object);
    EXPECT_EQ(group().started_with.has_value(), generation == 3);
  }
  object.conditions.back().observed_generation = 2;
  object.metadata.uid = "another";
  cluster_.set_pod_group(object);
  const NodeId a = add(node("a").allocatable("cpu", "4"));
  for (const char* name : {"x", "y"}) {
    PodBuilder builder = member();
    builder.pod().metadata.name = name;
    add(builder.group("train"), a);
  }
  believe_in_starts(cluster_);
  ASSERT_TRUE(group().started_with);
  EXPECT_EQ(group().started_with->min_count, 2);
  submit(pod("other").request("cpu", "4"));
  EXPECT_EQ(released(), 0U);
}

TEST_F(ChangedMinimum, MembersOnRecordAreNoLoss) {
  const std::vector<PodId> gang = started_gang(3);
  lose(gang.back());
  cluster_.record_succeeded("default", {cluster::GroupSpelling::kKubernetes, "train"}, {"Job/train", "", {}, 1});
  EXPECT_EQ(released(), 0U);
}

/// A group of two subgroups of two pods each, on a node each; of which `enough` suffice.
class Subgroups : public PartialStartsTest {
 protected:
  void start(std::optional<std::int32_t> enough) {
    cluster::GroupDescription said;
    said.name_space = "default";
    said.group = {cluster::GroupSpelling::kKubernetes, "infer"};
    said.min_count = enough ? 2 : 4;
    said.rules.min_subgroups = enough;
    for (const char* name : {"left", "right"}) {
      cluster::SubGroup& part = said.rules.subgroups.emplace_back();
      part.name = name;
      part.min_count = 2;
      part.selector = cluster::PodSelector::of_labels({{"part", name}}, cluster_.symbols());
    }
    cluster_.set_group(said);
    for (const char* name : {"left", "right"}) {
      add(node(name).label("part", name).allocatable("cpu", "4"));
      for (int i = 0; i < 2; ++i) {
        PodBuilder builder = member().label("part", name).selects_nodes("part", name);
        builder.pod().metadata.name = std::string(name) + std::to_string(i);
        pods_.push_back(submit(builder.group("infer")));
      }
    }
    take_turns();
    ASSERT_EQ(placed(pods_), 4U);
    note_start(cluster_, cluster_.pod(pods_[0]).group);
  }
  /// The last pod of the left subgroup fails, while others want room there.
  PodId lose_left() {
    cluster_.remove_pod(pods_[1]);
    const PodId other = submit(pod("other").request("cpu", "4").selects_nodes("part", "left"));
    dispatcher().capacity_freed();
    take_turns();
    return other;
  }
  std::vector<Eviction> released() {
    EXPECT_THAT(dispatcher().overdue_starts(kStart).releases, IsEmpty());
    return dispatcher().overdue_starts(kInTheEnd).releases;
  }
  std::vector<PodId> pods_;
};

TEST_F(Subgroups, ThatTheGroupCanDoWithoutGiveBackTheirRoom) {
  start(1);
  lose_left();
  const std::vector<Eviction> releases = released();
  ASSERT_THAT(releases, SizeIs(1));
  EXPECT_THAT(releases[0].pods, ElementsAre(pods_[0]));
  EXPECT_EQ(decision::release_text(releases[0], cluster_),
            "1 of the 2 pods that subgroup \"left\" of pod group \"infer\" starts with have waited too long for the "
            "rest, and pod default/other starts in their room");
}

/// The left one has one of its two pods, and one is all that was asked of it before.
TEST_F(Subgroups, WhoseMinimumIsRaisedHaveLostNothing) {
  start(1);
  const GroupId id = cluster_.pod(pods_[0]).group;
  cluster::GroupDescription said;
  said.name_space = "default";
  said.group = {cluster::GroupSpelling::kKubernetes, "infer"};
  said.min_count = 2;
  said.rules = cluster_.group(id).rules;
  for (const std::int32_t least : {1, 2}) {
    for (cluster::SubGroup& part : said.rules.subgroups) part.min_count = least;
    cluster_.set_group(said);
    if (least == 1) lose_left();
    note_start(cluster_, id);
  }
  EXPECT_THAT(released(), IsEmpty());
}

TEST_F(Subgroups, StayWhereTheirRoomHelpsNobody) {
  start(1);
  cluster_.remove_pod(pods_[1]);
  EXPECT_THAT(released(), IsEmpty());
}

TEST_F(Subgroups, ThatTheGroupNeedsAreTheGroupsLoss) {
  start(std::nullopt);
  lose_left();
  const std::vector<Eviction> releases = released();
  ASSERT_THAT(releases, SizeIs(1));
  EXPECT_THAT(releases[0].pods, ElementsAre(pods_[0], pods_[2], pods_[3]));
}

TEST_F(Subgroups, HaveTheirMinimumWithMembersThatHaveSucceeded) {
  start(std::nullopt);
  const cluster::GroupName name{cluster::GroupSpelling::kKubernetes, "infer"};
  cluster_.remove_pod(pods_[1]);
  cluster_.record_succeeded("default", name, {"Job/left", "", {{"part", "left"}}, 1});
  const PodId other = lose_left();
  EXPECT_THAT(released(), IsEmpty());
  // Another one fails, and its replacement starts.
  dispatcher().withdraw(other);
  cluster_.remove_pod(other);
  cluster_.remove_pod(pods_[0]);
  PodBuilder builder = member().label("part", "left").selects_nodes("part", "left");
  builder.pod().metadata.name = "again";
  const PodId again = submit(builder.group("infer"));
  dispatcher().capacity_freed();
  take_turns();
  EXPECT_TRUE(cluster_.pod(again).node.valid());
}

// ---- what wakes a group ---------------------------------------------------------------------------------------------

TEST_F(PartialStartsTest, AMemberThatIsPlacedByOthersLetsTheRestStart) {
  add(node("a").allocatable("cpu", "4"));
  const NodeId far = add(node("far").cordoned());
  describe("train", 3);
  const std::vector<PodId> gang = submit(member(), "train", 3);
  take_turns();
  EXPECT_EQ(placed(gang), 0U);
  dispatcher().withdraw(gang[0]);
  cluster_.place(gang[0], far);
  dispatcher().placed_elsewhere(gang[0]);
  take_turns();
  EXPECT_EQ(placed(gang), 3U);
}

TEST_F(PartialStartsTest, AMemberThatWaitsNoLongerMayHaveStoodInTheWay) {
  dispatcher().set_switches({.placement = GroupPlacement::kInOrder});  // else a search leaves it out
  add(node("a").allocatable("cpu", "4"));
  describe("train", 2);
  const PodId large = submit(pod("large").request("cpu", "4").group("train"));
  const std::vector<PodId> gang = submit(member(), "train", 2);
  take_turns();
  EXPECT_EQ(placed(gang), 0U);
  dispatcher().withdraw(large);
  cluster_.remove_pod(large);
  take_turns();
  EXPECT_EQ(placed(gang), 2U);
}

}  // namespace
}  // namespace loadline::gang

// Turns of groups: all or nothing, whatever else happens. Turns of single pods have their tests in the hosts.
#include "brain/engine/dispatcher.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "brain/engine/testing/dispatcher_fixture.h"
#include "brain/placement/testing/random_objects.h"

namespace loadline::engine {

using decision::PodTurn;
using decision::Turn;
using decision::Unit;

namespace {

using testing::GroupId;
using testing::node;
using testing::NodeId;
using testing::pod;
using testing::PodBuilder;
using testing::PodId;

using Texts = std::vector<std::string>;
using DispatcherTest = testing::DispatcherFixture;

TEST_F(DispatcherTest, AGangThatFitsStartsInOneTurn) {
  add(node("a").allocatable("cpu", "4"));
  add(node("b").allocatable("cpu", "4"));
  describe("train", 4);
  const std::vector<PodId> gang = submit(pod("p").request("cpu", "2"), "train", 4);
  const std::vector<Turn> turns = take_turns();
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_EQ(turns[0].verdict, gang::Verdict::kStarts);
  EXPECT_EQ(placed(gang), 4U);
}

TEST_F(DispatcherTest, AGangThatDoesNotFitLeavesNoTrace) {
  const NodeId a = add(node("a").allocatable("cpu", "4"));
  describe("train", 3);
  const std::vector<PodId> gang = submit(pod("p").request("cpu", "2"), "train", 3);
  const std::vector<Turn> turns = take_turns();
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_EQ(turns[0].verdict, gang::Verdict::kDoesNotFit);
  const std::string refused =
      "pod group is unschedulable, waiting for minCount pods from a gang to be scheduled, "
      "one or more plugins asked to wait and no plugin rejected pod";
  EXPECT_EQ(said(turns[0]), refused);
  const std::string full =
      "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: No preemption victims "
      "found "
      "for incoming preemptor.";
  EXPECT_EQ(messages(turns[0]), (Texts{refused, refused, full}));
  EXPECT_EQ(turns[0].fits, 2U);
  EXPECT_EQ(turns[0].stopped_by, 2U);
  EXPECT_EQ(placed(gang), 0U);
  EXPECT_EQ(cluster_.requested(a, cluster::kCpu), 0);
  EXPECT_FALSE(dispatcher().has_next());

  add(node("b").allocatable("cpu", "4"));
  dispatcher().capacity_freed();
  EXPECT_EQ(take_turns().size(), 1U);
  EXPECT_EQ(placed(gang), 3U);
}

TEST_F(DispatcherTest, MembersBeyondTheMinimumMayBeLeftOver) {
  add(node("a").allocatable("cpu", "4"));
  describe("train", 2);
  const std::vector<PodId> gang = submit(pod("p").request("cpu", "2"), "train", 3);
  // It has its turn as soon as two are there; all three are by then.
  const std::vector<Turn> turns = take_turns();
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_EQ(turns[0].verdict, gang::Verdict::kStarts);
  EXPECT_EQ(placed(gang), 2U);

  add(node("b").allocatable("cpu", "4"));
  dispatcher().capacity_freed();
  take_turns();
  EXPECT_EQ(placed(gang), 3U);
}

TEST_F(DispatcherTest, AGroupHasNoTurnBeforeItIsComplete) {
  add(node("a"));
  const std::vector<PodId> gang = submit(pod("p"), "train", 2);
  EXPECT_TRUE(take_turns().empty());
  EXPECT_EQ(decision::text(cluster_, *dispatcher().held_by_group(gang[0])),
            "waiting for pods's pod group \"train\" to appear in scheduling queue");
  describe("train", 3);
  EXPECT_TRUE(take_turns().empty());
  EXPECT_EQ(decision::text(cluster_, *dispatcher().held_by_group(gang[0])),
            "waiting for minCount pods from a gang to appear in scheduling queue");
  submit(pod("last").group("train"));
  EXPECT_EQ(take_turns().size(), 1U);
  EXPECT_EQ(placed(gang), 2U);
}

TEST_F(DispatcherTest, AMemberThatGoesTakesTheTurnWithIt) {
  add(node("a"));
  describe("train", 2);
  const std::vector<PodId> gang = submit(pod("p"), "train", 2);
  dispatcher().withdraw(gang[0]);
  cluster_.remove_pod(gang[0]);
  EXPECT_TRUE(take_turns().empty());
}

TEST_F(DispatcherTest, AGroupStandsWhereItsBestPodStands) {
  add(node("a"));
  describe("train", 2);
  submit(pod("middle").priority(5));
  submit(pod("p").group("train").priority(1));
  submit(pod("q").group("train").priority(9));
  Texts order;
  for (const Turn& turn : take_turns()) order.push_back(cluster_.pod_name(turn.pods.front().pod));
  EXPECT_EQ(order, (Texts{"q", "middle"}));
}

TEST_F(DispatcherTest, AGroupStandsWhereItsOwnPrioritySays) {
  add(node("a"));
  const auto describe_with = [&](std::int32_t priority) {
    kube::PodGroup group;
    group.metadata.namespace_ = "default";
    group.metadata.name = "train";
    group.policy.min_count = 2;
    group.priority = priority;
    cluster_.set_pod_group(group);
    if (const GroupId id = cluster_.find_group("default", "train"); id.valid()) dispatcher().group_changed(id);
  };
  describe_with(1);
  submit(pod("p").group("train").priority(9));
  submit(pod("q").group("train").priority(9));
  submit(pod("middle").priority(5));
  submit(pod("late").priority(0));
  // Its place in the queue follows a change of its priority, up and down.
  describe_with(7);
  describe_with(3);
  Texts order;
  for (const Turn& turn : take_turns()) order.push_back(cluster_.pod_name(turn.pods.front().pod));
  EXPECT_EQ(order, (Texts{"middle", "p", "late"}));
}

TEST_F(DispatcherTest, AGangEvictsOnlyIfItStartsThen) {
  dispatcher().set_switches({.victims = gang::GroupVictims::kPodByPod});
  const NodeId a = add(node("a").allocatable("cpu", "4"));
  const NodeId b = add(node("b").allocatable("cpu", "4"));
  const PodId low_a = add(pod("low-a").request("cpu", "4"), a);
  const PodId low_b = add(pod("low-b").request("cpu", "4"), b);
  describe("vain", 3);
  submit(pod("p").request("cpu", "4").priority(9), "vain", 3);
  std::vector<Turn> turns = take_turns();
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_EQ(turns[0].verdict, gang::Verdict::kDoesNotFit);
  EXPECT_EQ(std::tuple(turns[0].fits, turns[0].hopeful, turns[0].stopped_by), std::tuple(0U, 2U, 2U));
  EXPECT_TRUE(cluster_.pod(low_a).known && cluster_.pod(low_b).known);
  EXPECT_TRUE(cluster_.nominated_nodes().empty());

  describe("train", 2);
  const std::vector<PodId> gang = submit(pod("p").request("cpu", "4").priority(8), "train", 2);
  turns = take_turns();
  EXPECT_EQ(turns[0].verdict, gang::Verdict::kWaitsForRoom);
  EXPECT_EQ(placed(gang), 2U);
  EXPECT_FALSE(cluster_.pod(low_a).known || cluster_.pod(low_b).known);
  EXPECT_TRUE(cluster_.nominated_nodes().empty());
}

TEST_F(DispatcherTest, AGangEvictsNobodyIfItsPodsCouldNotBeTogetherThen) {
  dispatcher().set_switches({.victims = gang::GroupVictims::kPodByPod});
  std::vector<PodId> low;
  for (const char* name : {"a", "b"}) {
    const NodeId node_of = add(node(name).allocatable("cpu", "4").label("kubernetes.io/hostname", name));
    low.push_back(add(pod(std::string("low-") + name).request("cpu", "4"), node_of));
  }
  const kube::PodAffinityTerm each_other = cluster::testing::pods_with("job", "train", "kubernetes.io/hostname");
  describe("train", 3);
  submit(pod("p").label("job", "train").request("cpu", "2").priority(8).near(each_other), "train", 3);
  const std::vector<Turn> turns = take_turns();
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_EQ(turns[0].verdict, gang::Verdict::kDoesNotFit);
  EXPECT_EQ(std::tuple(turns[0].fits, turns[0].hopeful), std::tuple(0U, 3U)) << "each has room for itself then";
  for (const PodId each : low) EXPECT_TRUE(cluster_.pod(each).known);
  EXPECT_TRUE(cluster_.nominated_nodes().empty());
}

TEST_F(DispatcherTest, AGangThatWaitsForItsVictimsEvictsNoMore) {
  const NodeId a = add(node("a").allocatable("cpu", "4"));
  add(node("b").allocatable("cpu", "4"));
  const PodId low = add(pod("low").request("cpu", "4"), a);
  describe("train", 2);
  const std::vector<PodId> gang = submit(pod("p").request("cpu", "4").priority(8), "train", 2);
  const Turn first = dispatcher().take(*dispatcher().next());
  EXPECT_EQ(first.verdict, gang::Verdict::kWaitsForRoom);
  dispatcher().leaving(low, decision::EvictionCause::kPreemption);
  dispatcher().capacity_freed();
  const Turn second = dispatcher().take(*dispatcher().next());
  EXPECT_EQ(second.verdict, gang::Verdict::kWaitsForRoom);
  for (const PodTurn& each : second.pods) EXPECT_TRUE(each.victims.empty());
  EXPECT_TRUE(std::ranges::all_of(gang, [&](PodId each) { return cluster_.pod(each).nominated.valid(); }));
  cluster_.remove_pod(low);
  dispatcher().capacity_freed();
  take_turns();
  EXPECT_EQ(placed(gang), 2U);
}

TEST_F(DispatcherTest, MembersOfTwoSchedulersAreRefused) {
  kube::SchedulerProfile other;
  other.scheduler_name = "other";
  configuration_.profiles.push_back(other);
  add(node("a"));
  describe("train", 2);
  submit(pod("p").group("train"));
  submit(pod("q").group("train").scheduler("other"));
  const std::vector<Turn> turns = take_turns();
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_EQ(turns[0].verdict, gang::Verdict::kFailed);
  const std::string text =
      "all pods in a single pod group should have the same .spec.schedulerName set, got: \"other\" and "
      "\"default-scheduler\"";
  EXPECT_EQ(messages(turns[0]), (Texts{text, text}));
  EXPECT_TRUE(turns[0].pods[0].is_error && turns[0].pods[1].is_error);
}

TEST_F(DispatcherTest, ABindingThatIsRefusedReturnsToItsGroup) {
  add(node("a").allocatable("cpu", "4"));
  describe("train", 2);
  const std::vector<PodId> gang = submit(pod("p").request("cpu", "2"), "train", 2);
  take_turns();
  dispatcher().release(gang[1]);
  dispatcher().add(gang[1]);
  EXPECT_EQ(placed(gang), 1U);
  const std::vector<Turn> turns = take_turns();
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_TRUE(turns[0].unit.is_group());
  EXPECT_EQ(placed(gang), 2U);
}

// ---- at random ------------------------------------------------------------------------------------------------------

class RandomGroups : public DispatcherTest, public ::testing::WithParamInterface<int> {
 protected:
  RandomGroups() : random_(static_cast<std::uint64_t>(GetParam()) + 4711) {}

  void submit_group() {
    const std::string name = "g" + std::to_string(++made_);
    const auto size = static_cast<int>(1 + random_.below(6));
    const auto min_count = static_cast<std::int32_t>(1 + random_.below(static_cast<std::uint64_t>(size)));
    describe(name, min_count);
    PodBuilder member = random_.pod("m");
    for (int i = 0; i < size; ++i) {
      if (random_.chance(30)) member = random_.pod("m");
      member.pod().metadata.name = name + '-' + std::to_string(i);
      PodBuilder one = member;
      pods_.push_back(submit(one.group(name)));
    }
  }
  void submit_single() { pods_.push_back(submit(random_.pod("s" + std::to_string(++made_)))); }

  void happen() {
    for (const PodId pod : std::exchange(leaving_, {})) remove(pod);
    const std::uint64_t what = random_.below(100);
    if (what < 40) {
      submit_group();
    } else if (what < 60) {
      submit_single();
    } else if (what < 75) {
      add(random_.node("n" + std::to_string(++made_)));
      dispatcher().capacity_freed();
    } else if (!pods_.empty()) {
      const std::size_t which = random_.below(pods_.size());
      const PodId pod = pods_[which];
      if (what < 85 && cluster_.pod(pod).node.valid() && cluster_.pod(pod).known) {
        dispatcher().release(pod);
        dispatcher().add(pod);
        repairs_.insert(cluster_.pod(pod).group);
      } else if (cluster_.pod(pod).known) {
        repairs_.insert(cluster_.pod(pod).group);
        remove(pod);
        std::erase(pods_, pod);
      }
    }
  }
  void remove(PodId pod) {
    if (!cluster_.pod(pod).node.valid()) dispatcher().withdraw(pod);
    cluster_.remove_pod(pod);
    dispatcher().capacity_freed();
  }

  /// No turn leaves a group with fewer pods on nodes than have to start together, unless it had some of them before,
  /// which lost others; and a turn that places nothing changes no book.
  void take_turn(Unit unit) {
    const std::string before = unit.is_group() ? books() : std::string();
    const std::size_t placed_before = unit.is_group() ? cluster_.group(unit.group).placed : 0;
    const Turn turn = dispatcher().take(unit);
    if (unit.is_group()) {
      const cluster::PodGroup& group = cluster_.group(unit.group);
      const bool is_whole = static_cast<std::int64_t>(group.placed) >= group.min_count;
      EXPECT_TRUE(is_whole || group.placed == placed_before) << group.name;
      EXPECT_EQ(is_whole && group.placed > placed_before, turn.verdict == gang::Verdict::kStarts) << group.name;
      if (turn.verdict != gang::Verdict::kStarts) {
        EXPECT_EQ(books(), before);
      }
      for (std::size_t i = 0; i < cluster_.counter_slots(); ++i) {
        EXPECT_EQ(cluster_.counter(cluster::CounterId{i}).pods, cluster_.recount(cluster::CounterId{i}).pods);
      }
    }
    std::vector<PodId> victims;
    for (const PodTurn& each : turn.pods) {
      victims.insert(victims.end(), each.victims.begin(), each.victims.end());
      // A pod without a node knows why.
      EXPECT_TRUE(each.node.valid() || !each.why.empty());
    }
    EXPECT_EQ(std::set(victims.begin(), victims.end()).size(), victims.size());
    for (const PodId victim : victims) EXPECT_TRUE(leaves_whole(victim, victims)) << cluster_.pod_text(victim);
    for (const PodId victim : victims) {
      dispatcher().leaving(victim, decision::EvictionCause::kPreemption);
      repairs_.insert(cluster_.pod(victim).group);
      std::erase(pods_, victim);
      if (are_slow_) {
        leaving_.push_back(victim);
      } else {
        remove(victim);
      }
    }
  }

  /// No gang is broken up: if one of its members is a victim, all are, or enough of them stay.
  bool leaves_whole(PodId victim, const std::vector<PodId>& victims) const {
    const GroupId id = cluster_.pod(victim).group;
    if (!id.valid() || cluster_.group(id).min_count < 2) return true;
    const cluster::PodGroup& group = cluster_.group(id);
    const auto leaving = std::ranges::count_if(victims, [&](PodId pod) { return cluster_.pod(pod).group == id; });
    const std::int64_t staying = static_cast<std::int64_t>(group.placed) - leaving;
    return staying == 0 || staying >= group.min_count;
  }

  std::string books() const {
    std::string text;
    for (const NodeId node : cluster_.nodes()) {
      for (std::size_t i = 0; i < cluster_.resources().size(); ++i) {
        text += std::to_string(cluster_.requested(node, cluster::ResourceId{i})) + ' ';
      }
      for (const PodId pod : cluster_.pods_on(node)) text += cluster_.pod_text(pod) + ' ';
      text += '\n';
    }
    return text;
  }

  placement::testing::RandomObjects random_;
  std::vector<PodId> pods_;
  std::set<GroupId> repairs_;            // groups that lost a member
  bool are_slow_ = GetParam() % 2 == 1;  // victims leave before the next thing happens, not at once
  std::vector<PodId> leaving_;
  int made_ = 0;
};

TEST_P(RandomGroups, AreNeverPartlyPlaced) {
  for (std::uint64_t i = 2 + random_.below(6); i > 0; --i) add(random_.node("first" + std::to_string(i)));
  for (int i = 0; i < 60 && !HasFailure(); ++i) {
    happen();
    int turns = 0;
    while (const std::optional<Unit> unit = dispatcher().next()) {
      take_turn(*unit);
      ASSERT_LT(++turns, 2000) << "the queue does not come to rest";
    }
    for (const PodId pod : pods_) {
      const cluster::PodRecord& record = cluster_.pod(pod);
      if (!record.group.valid() || repairs_.contains(record.group)) continue;
      const cluster::PodGroup& group = cluster_.group(record.group);
      EXPECT_TRUE(group.placed == 0 || static_cast<std::int64_t>(group.placed) >= group.min_count);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGroups, ::testing::Range(0, 60));

}  // namespace
}  // namespace loadline::engine

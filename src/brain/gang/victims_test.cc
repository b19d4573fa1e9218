// Who leaves when a group, or a pod, makes room for itself: what leaves together, which set is the least, and that no
// set could be smaller.
#include "brain/gang/victims.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "brain/cluster/testing/seeds.h"
#include "brain/decision/eviction_text.h"
#include "brain/engine/testing/dispatcher_fixture.h"
#include "brain/gang/eviction_units.h"
#include "brain/placement/testing/random_objects.h"

namespace loadline::gang {
namespace {

using cluster::NodeId;
using cluster::PodId;
using decision::PodTurn;
using decision::Turn;
using engine::testing::node;
using engine::testing::pod;
using engine::testing::PodBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Texts = std::vector<std::string>;

class VictimsTest : public engine::testing::DispatcherFixture {
 protected:
  static constexpr std::int64_t kNow = 100'000;

  VictimsTest() { cluster_.set_budgets({}); }

  NodeId gpu_node(const std::string& name, int gpus = 8) {
    return add(node(name)
                   .allocatable("pods", "110")
                   .allocatable("nvidia.com/gpu", std::to_string(gpus))
                   .label("kubernetes.io/hostname", name));
  }
  static PodBuilder with_gpus(const std::string& name, int gpus, std::int32_t priority = 0) {
    return pod(name).request("nvidia.com/gpu", std::to_string(gpus)).priority(priority).started(kNow - 1000);
  }
  /// A running gang: a member on each of the nodes.
  std::vector<PodId> running(const std::string& name, int minimum, const std::vector<NodeId>& nodes,
                             const PodBuilder& member) {
    describe(name, minimum);
    std::vector<PodId> pods;
    for (const NodeId on : nodes) {
      PodBuilder one = member;
      one.pod().metadata.name = name + '-' + std::to_string(pods.size());
      pods.push_back(add(one.group(name), on));
    }
    return pods;
  }
  void describe(const std::string& name, int minimum, bool is_evicted_whole = false,
                std::optional<std::int32_t> priority = {}) {
    kube::PodGroup group;
    group.metadata.namespace_ = "default";
    group.metadata.name = name;
    group.policy.min_count = minimum;
    group.disruption_mode = is_evicted_whole ? "PodGroup" : "Pod";
    group.priority = priority;
    cluster_.set_pod_group(group);
  }
  void switch_to(GroupVictims victims) { dispatcher().set_switches({.victims = victims}); }

  /// The turn of the one unit that waits.
  Turn turn() {
    dispatcher().set_now(Instant{} + Duration::seconds(kNow));
    const std::optional<decision::Unit> unit = dispatcher().next();
    EXPECT_TRUE(unit);
    return dispatcher().take(*unit);
  }
  Texts victims_of(const Turn& turn) const {
    Texts names;
    for (const PodTurn& each : turn.pods) {
      for (const PodId victim : each.victims) names.push_back(cluster_.pod_name(victim));
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  /// Who leaves for a gang of so many members of higher priority.
  Texts victims_for(int members, int gpus, std::int32_t priority = 100) {
    describe("big", members);
    submit(pod("p").request("nvidia.com/gpu", std::to_string(gpus)).priority(priority), "big", members);
    return victims_of(last_ = turn());
  }
  void annotate(PodBuilder& builder, const std::string& name, const std::string& value) {
    builder.pod().metadata.annotations["loadline.dev/" + name] = value;
  }
  /// The victims leave, and what waited has its turn: nobody was evicted for nothing.
  void expect_start() {
    std::vector<PodId> leaving;
    for (const PodTurn& each : last_.pods) leaving.insert(leaving.end(), each.victims.begin(), each.victims.end());
    for (const PodId victim : leaving) {
      dispatcher().leaving(victim, decision::EvictionCause::kPreemption);
      cluster_.remove_pod(victim);
    }
    dispatcher().capacity_freed();
    const Turn then = turn();
    EXPECT_EQ(then.verdict, Verdict::kStarts);
    EXPECT_THAT(victims_of(then), IsEmpty());
  }

  Turn last_;
};

// ---- what leaves together -------------------------------------------------------------------------------------------

TEST_F(VictimsTest, AGangLeavesAsAWholeWhereverItsPodsAre) {
  const NodeId a = gpu_node("a");
  const NodeId b = gpu_node("b");
  running("train", 2, {a, b}, with_gpus("p", 4));
  EXPECT_THAT(victims_for(1, 8), ElementsAre("train-0", "train-1"));
  ASSERT_EQ(last_.evictions.size(), 1U);
  EXPECT_EQ(decision::text_of(last_.evictions[0], cluster_), "pod group default/train (2 pods)");
  expect_start();
}

TEST_F(VictimsTest, MembersAboveTheMinimumLeaveFirst) {
  const NodeId a = gpu_node("a");
  const NodeId b = gpu_node("b");
  running("elastic", 2, {b, b, b, b}, with_gpus("p", 2));
  add(with_gpus("alone", 8), a);
  EXPECT_THAT(victims_for(2, 2), ElementsAre("elastic-0", "elastic-1")) << "no job ends";
  expect_start();
}

TEST_F(VictimsTest, AGangWithoutSurplusIsNotBrokenUp) {
  const NodeId a = gpu_node("a");
  running("elastic", 2, {a, a, a, a}, with_gpus("p", 2));
  EXPECT_THAT(victims_for(3, 2), ElementsAre("elastic-0", "elastic-1", "elastic-2", "elastic-3"));
  expect_start();
}

TEST_F(VictimsTest, TheDisruptionModeDecidesIfThePolicySaysSo) {
  switch_to(GroupVictims::kByDisruptionMode);
  const NodeId a = gpu_node("a");
  running("by-pod", 2, {a, a}, with_gpus("p", 4));
  EXPECT_THAT(victims_for(1, 4), ElementsAre(::testing::AnyOf("by-pod-0", "by-pod-1")));
}

TEST_F(VictimsTest, AGroupThatIsEvictedWholeSparesNobody) {
  switch_to(GroupVictims::kByDisruptionMode);
  const NodeId a = gpu_node("a");
  running("whole", 1, {a, a}, with_gpus("p", 4));
  describe("whole", 1, true);
  EXPECT_THAT(victims_for(1, 4), ElementsAre("whole-0", "whole-1"));
}

TEST_F(VictimsTest, PodByPodARankLeavesAlone) {
  switch_to(GroupVictims::kPodByPod);
  const NodeId a = gpu_node("a");
  running("train", 2, {a, a}, with_gpus("p", 4));
  EXPECT_THAT(victims_for(1, 4), ::testing::SizeIs(1));
}

TEST_F(VictimsTest, OneImportantMemberProtectsTheGang) {
  const NodeId a = gpu_node("a");
  running("train", 2, {a}, with_gpus("p", 4));
  add(with_gpus("leader", 4, 1000).group("train"), a);
  EXPECT_THAT(victims_for(1, 4), IsEmpty());
  EXPECT_EQ(last_.verdict, Verdict::kDoesNotFit);
}

TEST_F(VictimsTest, TheGroupsObjectSaysItsPriority) {
  const NodeId a = gpu_node("a");
  running("train", 2, {a, a}, with_gpus("p", 4));
  describe("train", 2, false, 100);
  EXPECT_THAT(victims_for(1, 4), IsEmpty()) << "equal priority";
  describe("train", 2, false, 99);
  dispatcher().capacity_freed();
  EXPECT_THAT(victims_of(turn()), ElementsAre("train-0", "train-1"));
}

TEST_F(VictimsTest, WhatHasRunForLessThanItIsGrantedStays) {
  const NodeId a = gpu_node("a");
  PodBuilder granted = with_gpus("granted", 8);
  annotate(granted, "minimum-run-time", "1001s");
  add(granted, a);
  EXPECT_THAT(victims_for(1, 8), IsEmpty());
  EXPECT_THAT(last_.pods[0].message,
              HasSubstr("preemption: No preemption victims found for incoming preemptor. 1 pod or "
                        "group has not run for as long as it is granted."));
  dispatcher().capacity_freed();
  dispatcher().set_now(Instant{} + Duration::seconds(kNow + 1));
  EXPECT_THAT(victims_of(dispatcher().take(*dispatcher().next())), ElementsAre("granted"));
}

/// Who writes a pod writes its annotations: the cluster's policy says how much of what they claim counts.
TEST_F(VictimsTest, AnExemptionCountsForADayAndAsLongAsThePolicySays) {
  const NodeId a = gpu_node("a");
  PodBuilder granted = with_gpus("granted", 8);
  annotate(granted, "minimum-run-time", "87600h");
  add(granted, a);
  EXPECT_THAT(victims_for(1, 8), IsEmpty());
  Switches switches;
  switches.exempt_hours = 0;
  dispatcher().set_switches(switches);
  dispatcher().capacity_freed();
  EXPECT_THAT(victims_of(dispatcher().take(*dispatcher().next())), ElementsAre("granted"));
}

TEST_F(VictimsTest, WhoNeverPreemptsEvictsNobody) {
  const NodeId a = gpu_node("a");
  add(with_gpus("low", 8), a);
  describe("big", 1);
  submit(pod("p").request("nvidia.com/gpu", "8").priority(9).never_preempts(), "big", 1);
  const Turn refused = turn();
  EXPECT_THAT(victims_of(refused), IsEmpty());
  EXPECT_THAT(refused.pods[0].message, HasSubstr("preemption: not eligible due to preemptionPolicy=Never."));
}

// ---- which set is the least -----------------------------------------------------------------------------------------

TEST_F(VictimsTest, TheLowestPriorityLeavesFirst) {
  add(with_gpus("five", 8, 5), gpu_node("a"));
  add(with_gpus("three", 8, 3), gpu_node("b"));
  add(with_gpus("four", 8, 4), gpu_node("c"));
  EXPECT_THAT(victims_for(1, 8), ElementsAre("three"));
}

TEST_F(VictimsTest, ManyOfLowPriorityRatherThanOneOfHigher) {
  const NodeId a = gpu_node("a");
  for (const char* name : {"l1", "l2", "l3", "l4"}) add(with_gpus(name, 2, 1), a);
  add(with_gpus("one", 8, 2), gpu_node("b"));
  EXPECT_THAT(victims_for(1, 8), ElementsAre("l1", "l2", "l3", "l4"));
}

TEST_F(VictimsTest, FewJobsAreDisturbed) {
  const NodeId a = gpu_node("a");
  for (const char* name : {"l1", "l2"}) add(with_gpus(name, 4).started(kNow - 1), a);
  running("train", 4, {gpu_node("b"), gpu_node("c"), gpu_node("d"), gpu_node("e")}, with_gpus("p", 8));
  EXPECT_THAT(victims_for(1, 8), ElementsAre("train-0", "train-1", "train-2", "train-3"))
      << "one job ends, of two that have hardly begun";
}

TEST_F(VictimsTest, WhatHasRunForLongStays) {
  add(with_gpus("old", 8).started(kNow - 5000), gpu_node("a"));
  add(with_gpus("young", 8).started(kNow - 10), gpu_node("b"));
  EXPECT_THAT(victims_for(1, 8), ElementsAre("young"));
}

TEST_F(VictimsTest, WorkIsLostSinceTheLastCheckpoint) {
  PodBuilder saved = with_gpus("saved", 8).started(0);
  annotate(saved, "last-checkpoint", "1970-01-02T03:46:30Z");  // 10 s ago
  add(saved, gpu_node("a"));
  add(with_gpus("unsaved", 8).started(kNow - 11), gpu_node("b"));
  EXPECT_THAT(victims_for(1, 8), ElementsAre("saved"));
}

TEST_F(VictimsTest, TheCheckpointOfOneMemberIsThatOfItsGang) {
  const NodeId a = gpu_node("a");
  describe("train", 2);
  for (const char* name : {"train-0", "train-1"}) {
    PodBuilder member = with_gpus(name, 4).started(0);
    if (std::string(name) == "train-0") annotate(member, "last-checkpoint", "1970-01-02T03:46:30Z");  // 10 s ago
    add(member.group("train"), a);
  }
  add(with_gpus("unsaved", 8).started(kNow - 11), gpu_node("b"));
  EXPECT_THAT(victims_for(1, 8), ElementsAre("train-0", "train-1"));
}

TEST_F(VictimsTest, ACheckpointThatIsWrittenLaterCounts) {
  const NodeId a = gpu_node("a");
  PodBuilder builder = with_gpus("saved", 8).started(0);
  const PodId saved = add(builder, a);
  add(with_gpus("unsaved", 8).started(kNow - 11), gpu_node("b"));
  annotate(builder, "last-checkpoint", "1970-01-02T03:46:30Z");
  cluster_.update_pod(saved, builder);
  EXPECT_THAT(victims_for(1, 8), ElementsAre("saved"));
}

TEST_F(VictimsTest, EqualPriorityEvictsNobodyAndNobodyEvictsBack) {
  const NodeId a = gpu_node("a");
  running("first", 2, {a, a}, with_gpus("p", 4, 100));
  EXPECT_THAT(victims_for(2, 4), IsEmpty());
  describe("more", 2);
  submit(pod("p").request("nvidia.com/gpu", "4").priority(101), "more", 2);
  last_ = turn();
  EXPECT_THAT(victims_of(last_), ElementsAre("first-0", "first-1"));
  expect_start();
  submit(pod("p").request("nvidia.com/gpu", "4").priority(100), "first", 2);
  for (const Turn& each : take_turns()) EXPECT_THAT(victims_of(each), IsEmpty());
}

TEST_F(VictimsTest, NobodyIsEvictedWhileOthersAreLeaving) {
  const NodeId a = gpu_node("a");
  const NodeId b = gpu_node("b");
  add(with_gpus("low", 8), a);
  const PodId done = add(with_gpus("done", 8, 50), b);
  dispatcher().leaving(done);
  EXPECT_THAT(victims_for(1, 8), IsEmpty());
  EXPECT_EQ(last_.verdict, Verdict::kWaitsForRoom);
  EXPECT_EQ(last_.pods[0].nominated, b);
}

TEST_F(VictimsTest, ABudgetIsViolatedLast) {
  kube::PodDisruptionBudget budget;
  budget.metadata.namespace_ = "default";
  budget.metadata.name = "guard";
  budget.selector = cluster::testing::selecting("app", "guarded");
  add(with_gpus("guarded", 8, 1).label("app", "guarded"), gpu_node("a"));
  add(with_gpus("free", 8, 9), gpu_node("b"));
  cluster_.set_budget(budget, 0);
  EXPECT_THAT(victims_for(1, 8), ElementsAre("free"));
}

// ---- single pods ----------------------------------------------------------------------------------------------------

TEST_F(VictimsTest, APodDoesNotBreakAGang) {
  const NodeId a = gpu_node("a");
  const NodeId b = gpu_node("b");
  running("train", 2, {a, b}, with_gpus("p", 8, 1));
  add(with_gpus("alone", 8, 5), gpu_node("c"));
  submit(pod("single").request("nvidia.com/gpu", "8").priority(100));
  EXPECT_THAT(victims_of(last_ = turn()), ElementsAre("train-0", "train-1")) << "whole, as its priority is lowest";
  EXPECT_TRUE(last_.pods[0].nominated == a || last_.pods[0].nominated == b);
}

TEST_F(VictimsTest, APodLeavesAGangAloneThatItMayNotEnd) {
  const NodeId a = gpu_node("a");
  const NodeId b = gpu_node("b");
  running("train", 2, {a}, with_gpus("p", 8, 1));
  add(with_gpus("leader", 8, 1000).group("train"), b);
  submit(pod("single").request("nvidia.com/gpu", "8").priority(100));
  const Turn refused = turn();
  EXPECT_THAT(victims_of(refused), IsEmpty());
  EXPECT_FALSE(refused.pods[0].nominated.valid());
  EXPECT_THAT(refused.pods[0].message, HasSubstr("preemption: No preemption victims found"));
}

TEST_F(VictimsTest, MembersOfABasicGroupMakeRoomOneByOne) {
  for (const char* name : {"a", "b", "c"}) add(with_gpus(std::string("low-") + name, 8), gpu_node(name));
  describe("basic", 0);
  submit(pod("p").request("nvidia.com/gpu", "8").priority(100), "basic", 4);
  last_ = turn();
  EXPECT_THAT(victims_of(last_), ElementsAre("low-a", "low-b", "low-c"));
  EXPECT_EQ(last_.verdict, Verdict::kWaitsForRoom);
  EXPECT_EQ(last_.hopeful, 3U);
  expect_start();
}

TEST_F(VictimsTest, SurplusMembersOfAGroupThatStartsMakeRoomToo) {
  gpu_node("free");
  add(with_gpus("low", 8), gpu_node("a"));
  describe("train", 1);
  submit(pod("p").request("nvidia.com/gpu", "8").priority(100), "train", 2);
  last_ = turn();
  EXPECT_EQ(last_.verdict, Verdict::kStarts);
  EXPECT_THAT(victims_of(last_), ElementsAre("low"));
  dispatcher().leaving(last_.pods[1].victims[0], decision::EvictionCause::kPreemption);
  dispatcher().capacity_freed();
  EXPECT_THAT(victims_of(turn()), IsEmpty()) << "they are leaving";
}

// ---- at random ------------------------------------------------------------------------------------------------------

/// A small cluster that is full of gangs and pods, and what an exhaustive search over sets of pods says of it. GPUs are
/// the only resource, so whether members fit is arithmetic here.
class RandomVictims : public VictimsTest, public ::testing::WithParamInterface<int> {
 protected:
  struct Job {
    std::string name;
    int minimum = 0;  // of a gang
    std::vector<std::size_t> pods;
  };
  struct Running {
    PodId id;
    std::size_t job;
    std::size_t node;
    int gpus;
    std::int32_t priority;
  };
  /// Violations, highest priority, jobs.
  using Criteria = std::tuple<int, std::int64_t, int>;

  RandomVictims() : random_(static_cast<std::uint64_t>(GetParam()) + 99) {}

  int below(int limit) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(limit))); }

  void fill(int nodes, int most_jobs) {
    for (int i = 0; i < nodes; ++i) {
      free_.push_back(8);
      nodes_.push_back(gpu_node("n" + std::to_string(i)));
    }
    constexpr std::size_t kPodsOfAJob = 4;
    constexpr std::size_t kMostPods = 31;  // a set of them is a word
    for (int i = 0; i < most_jobs && running_.size() + kPodsOfAJob <= kMostPods; ++i) {
      add_job("j" + std::to_string(i));
    }
  }

  void add_job(const std::string& name) {
    Job job{name, 0, {}};
    const bool is_gang = below(2) == 0;
    const int size = is_gang ? 2 + below(3) : 1;
    const int gpus = 1 << below(4);
    const std::int32_t priority = below(3);
    std::vector<std::size_t> places;
    std::vector<int> left = free_;
    for (int i = 0; i < size; ++i) {
      const auto on = static_cast<std::size_t>(below(static_cast<int>(left.size())));
      if (left[on] < gpus) continue;
      left[on] -= gpus;
      places.push_back(on);
    }
    if (places.empty()) return;
    job.minimum = is_gang ? std::min<int>(2 + below(2), static_cast<int>(places.size())) : 0;
    if (is_gang) describe(name, job.minimum);
    for (const std::size_t on : places) {
      PodBuilder one = with_gpus(name + '-' + std::to_string(job.pods.size()), gpus, priority)
                           .started(kNow - below(1000))
                           .label("app", below(4) == 0 ? "guarded" : "free");
      job.pods.push_back(running_.size());
      running_.push_back({add(is_gang ? one.group(name) : one, nodes_[on]), jobs_.size(), on, gpus, priority});
    }
    free_ = left;
    jobs_.push_back(std::move(job));
  }

  /// So many of the gang's members have to stay, if any does.
  [[nodiscard]] static std::size_t least_of(const Job& job) {
    return job.minimum > 1 ? static_cast<std::size_t>(job.minimum) : 0;
  }

  /// What it costs that these leave; nothing if a gang is broken up by it, or somebody is too important.
  std::optional<Criteria> criteria_of(std::uint32_t out, std::int32_t priority) {
    Criteria criteria{0, -1, 0};
    auto& [violations, highest, jobs] = criteria;
    int guarded = 0;
    for (const Job& job : jobs_) {
      std::size_t leaving = 0;
      for (const std::size_t i : job.pods) {
        if ((out >> i & 1U) == 0) continue;
        ++leaving;
        highest = std::max<std::int64_t>(highest, running_[i].priority);
        if (is_guarded(running_[i].id)) ++guarded;
      }
      const std::size_t staying = job.pods.size() - leaving;
      if (leaving > 0 && staying > 0 && staying < least_of(job)) return std::nullopt;
      if (staying == 0 || least_of(job) == 0) jobs += job.minimum > 1 ? 1 : static_cast<int>(leaving);
    }
    if (highest >= priority) return std::nullopt;
    violations = std::max(0, guarded - allowed_);
    return criteria;
  }

  bool is_guarded(PodId pod) {
    return cluster_.shape_of(pod).labels.find(cluster_.symbols().find("app")) == cluster_.symbols().find("guarded");
  }

  /// Whether so many members fit once these have left.
  [[nodiscard]] bool fits(std::uint32_t out, int members, int gpus) const {
    std::vector<int> free = free_;
    for (std::size_t i = 0; i < running_.size(); ++i) {
      if ((out >> i & 1U) != 0) free[running_[i].node] += running_[i].gpus;
    }
    int room = 0;
    for (const int each : free) room += each / gpus;
    return room >= members;
  }

  std::optional<Criteria> best(int members, int gpus, std::int32_t priority) {
    std::optional<Criteria> best;
    for (std::uint32_t out = 1; out < 1U << running_.size(); ++out) {
      if (!fits(out, members, gpus)) continue;
      const std::optional<Criteria> criteria = criteria_of(out, priority);
      if (criteria && (!best || *criteria < *best)) best = criteria;
    }
    return best;
  }

  std::uint32_t chosen() {
    std::uint32_t out = 0;
    for (const PodTurn& each : last_.pods) {
      for (const PodId victim : each.victims) {
        for (std::size_t i = 0; i < running_.size(); ++i) out |= running_[i].id == victim ? 1U << i : 0U;
      }
    }
    return out;
  }

  /// With any unit back, the members do not fit. A gang that leaves as a whole is one, if it cannot be spared in part.
  void expect_minimal(std::uint32_t out, int members, int gpus) {
    for (const Job& job : jobs_) {
      std::uint32_t of_job = 0;
      for (const std::size_t i : job.pods) of_job |= out & 1U << i;
      if (of_job == 0) continue;
      EXPECT_FALSE(fits(out & ~of_job, members, gpus)) << job.name << " could stay";
      const std::size_t leaving = static_cast<std::size_t>(std::popcount(of_job));
      const bool leaves_whole = leaving == job.pods.size() && least_of(job) > 0;
      for (const std::size_t i : job.pods) {
        if ((of_job >> i & 1U) == 0 || leaves_whole) continue;
        EXPECT_FALSE(fits(out & ~(1U << i), members, gpus)) << "a pod of " << job.name << " could stay";
      }
    }
  }

  void expect_nobody_leaves() {
    EXPECT_EQ(last_.verdict, Verdict::kStarts);
    EXPECT_EQ(chosen(), 0U);
  }

  void guard() {
    allowed_ = below(3);
    kube::PodDisruptionBudget budget;
    budget.metadata.namespace_ = "default";
    budget.metadata.name = "guard";
    budget.selector = cluster::testing::selecting("app", "guarded");
    cluster_.set_budget(budget, allowed_);
  }

  placement::testing::RandomObjects random_;
  std::vector<NodeId> nodes_;
  std::vector<int> free_;
  std::vector<Job> jobs_;
  std::vector<Running> running_;
  int allowed_ = 1000;
};

std::size_t units_of(const cluster::Cluster& cluster, std::int32_t priority) {
  return eviction_units(cluster, {GroupVictims::kWholeGroups, {}, priority, {}}).units.size();
}

TEST_P(RandomVictims, AreTheBestAmongFew) {
  fill(2 + below(3), 4);
  if (below(2) == 0) guard();
  const int members = 1 + below(4);
  const int gpus = 1 << below(4);
  const std::int32_t priority = 1 + below(3);
  const bool are_few = units_of(cluster_, priority) <= kFewUnits;
  victims_for(members, gpus, priority);
  if (fits(0, members, gpus)) return expect_nobody_leaves();
  const std::optional<Criteria> expected = best(members, gpus, priority);
  EXPECT_EQ(last_.verdict == Verdict::kWaitsForRoom, expected.has_value());
  if (!expected) return;
  if (are_few) {
    EXPECT_EQ(criteria_of(chosen(), priority), expected);
  }
  expect_minimal(chosen(), members, gpus);
  expect_start();
}

TEST_P(RandomVictims, AreMinimalAmongMany) {
  fill(4 + below(3), 14);
  const int members = 1 + below(6);
  const int gpus = 1 << below(4);
  const std::int32_t priority = 1 + below(3);
  victims_for(members, gpus, priority);
  if (fits(0, members, gpus)) return expect_nobody_leaves();
  std::uint32_t lower = 0;
  std::int64_t lowest = priority;  // the lowest priority that suffices
  for (std::int32_t level = priority; level-- > 0;) {
    std::uint32_t out = 0;
    for (std::size_t i = 0; i < running_.size(); ++i) out |= running_[i].priority <= level ? 1U << i : 0U;
    if (level == priority - 1) lower = out;
    if (fits(out, members, gpus)) lowest = level;
  }
  EXPECT_EQ(last_.verdict == Verdict::kWaitsForRoom, fits(lower, members, gpus));
  if (last_.verdict != Verdict::kWaitsForRoom) return;
  const std::optional<Criteria> criteria = criteria_of(chosen(), priority);
  ASSERT_TRUE(criteria) << "a gang is broken up";
  EXPECT_EQ(std::get<1>(*criteria), lowest);
  expect_minimal(chosen(), members, gpus);
  expect_start();
}

const int kFirstSeed = cluster::testing::number_of("LOADLINE_VICTIMS_FIRST_SEED", 0);
INSTANTIATE_TEST_SUITE_P(Seeds, RandomVictims,
                         ::testing::Range(kFirstSeed,
                                          kFirstSeed + cluster::testing::number_of("LOADLINE_VICTIMS_SEEDS", 150)));

}  // namespace
}  // namespace loadline::gang

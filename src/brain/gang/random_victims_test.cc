// Who leaves when a group makes room for itself, at random: that no set of units could be smaller, or cost less.
//
// LOADLINE_VICTIMS_SEEDS tries more of them, LOADLINE_VICTIMS_FIRST_SEED other ones.
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "brain/cluster/testing/seeds.h"
#include "brain/gang/eviction_units.h"
#include "brain/gang/testing/victims_fixture.h"
#include "brain/gang/victims.h"
#include "brain/placement/testing/random_objects.h"

namespace loadline::gang {
namespace {

using cluster::NodeId;
using cluster::PodId;
using decision::PodTurn;
using testing::PodBuilder;

/// A small cluster that is full of gangs and pods, and what an exhaustive search over sets of pods says of it. GPUs are
/// the only resource, so whether members fit is arithmetic here.
class RandomVictims : public testing::VictimsFixture, public ::testing::WithParamInterface<int> {
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

// Who leaves when a group has to be in one domain: the cheapest set of all domains, and nobody elsewhere.
#include "brain/gang/domain_victims.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "brain/cluster/testing/seeds.h"
#include "brain/gang/testing/topology_fixture.h"
#include "brain/placement/testing/random_objects.h"

namespace loadline::gang {
namespace {

using cluster::NodeId;
using cluster::PodId;
using decision::PodTurn;
using decision::Turn;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::PodBuilder;

class DomainVictimsTest : public testing::TopologyFixture {
 protected:
  static constexpr std::int64_t kNow = 100'000;

  DomainVictimsTest() {
    cluster_.set_budgets({});
    use_topology();
  }

  PodId run(const std::string& name, int gpus, NodeId on, std::int32_t priority = 0, std::int64_t age = 1000) {
    return add(pod_of(name, gpus, priority).started(kNow - age), on);
  }
  static PodBuilder pod_of(const std::string& name, int gpus, std::int32_t priority) {
    return testing::pod(name).request("nvidia.com/gpu", std::to_string(gpus)).priority(priority);
  }
  /// Members of one gang that requires a rack.
  void submit_to_rack(const std::vector<int>& gpus, int minimum = -1) {
    describe("big", minimum < 0 ? static_cast<int>(gpus.size()) : minimum);
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      PodBuilder one = pod_of("big-" + std::to_string(i), gpus[i], 100);
      one.pod().metadata.annotations["kueue.x-k8s.io/podset-required-topology"] = kRack;
      submit(one.group("big"));
    }
  }
  Turn turn() {
    dispatcher().set_now(Instant{} + Duration::seconds(kNow));
    const std::optional<decision::Unit> unit = dispatcher().next();
    EXPECT_TRUE(unit);
    return dispatcher().take(*unit);
  }
  std::vector<std::string> victims_of(const Turn& turn) const {
    std::vector<std::string> names;
    for (const PodTurn& each : turn.pods) {
      for (const PodId victim : each.victims) names.push_back(cluster_.pod_name(victim));
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  void expect_start(const Turn& before) {
    for (const PodTurn& each : before.pods) {
      for (const PodId victim : each.victims) {
        dispatcher().leaving(victim);
        cluster_.remove_pod(victim);
      }
    }
    dispatcher().capacity_freed();
    const Turn then = turn();
    EXPECT_EQ(then.verdict, Verdict::kStarts);
    EXPECT_THAT(victims_of(then), IsEmpty());
  }
};

TEST_F(DomainVictimsTest, TheDomainIsTakenWhereTheFewestJobsEnd) {
  const NodeId a = add_node("a", "b1", "r1", 8);
  const NodeId b = add_node("b", "b1", "r2", 8);
  for (const char* name : {"small-1", "small-2", "small-3", "small-4"}) run(name, 2, a);
  run("half", 4, b);
  run("other", 4, b);
  submit_to_rack({4, 4});
  const Turn last = turn();
  EXPECT_EQ(last.verdict, Verdict::kWaitsForRoom);
  EXPECT_THAT(victims_of(last), ElementsAre("half", "other"));
  expect_start(last);
}

TEST_F(DomainVictimsTest, NobodyLeavesWhereTheGroupCannotBeWhole) {
  const NodeId a = add_node("a", "b1", "r1", 8);
  const NodeId b = add_node("b", "b1", "r2", 8);
  run("low", 8, a);
  run("high", 8, b, 1000);
  submit_to_rack({8, 8});
  const Turn last = turn();
  EXPECT_EQ(last.verdict, Verdict::kDoesNotFit);
  EXPECT_THAT(victims_of(last), IsEmpty());
  EXPECT_THAT(said(last.pods.front()), HasSubstr("there is no room even if all pods of lower priority left"));
}

TEST_F(DomainVictimsTest, MembersThatAreNotAlikeEndTheFewestJobs) {
  const NodeId a = add_node("a", "b1", "r1", 8);
  const NodeId b = add_node("b", "b1", "r1", 8);
  const NodeId c = add_node("c", "b1", "r1", 8);
  // Each member by itself would find room where four small pods leave, and they need two nodes.
  for (const char* name : {"small-1", "small-2", "small-3", "small-4"}) run(name, 2, a, 0, 1);
  run("whole-1", 8, b);
  run("whole-2", 8, c);
  submit_to_rack({8, 4, 4});
  const Turn last = turn();
  EXPECT_THAT(victims_of(last), ElementsAre("whole-1", "whole-2"));
  expect_start(last);
}

TEST_F(DomainVictimsTest, AReplacedMemberMakesRoomWhereItsGangIs) {
  const NodeId a = add_node("a", "b1", "r1", 8);
  const NodeId b = add_node("b", "b1", "r1", 8);
  const NodeId c = add_node("c", "b1", "r2", 8);
  run("near", 8, b, 10);
  run("far", 8, c, 0);
  submit_to_rack({8, 8}, 1);
  PodBuilder first = pod_of("big-x", 8, 100);
  first.pod().metadata.annotations["kueue.x-k8s.io/podset-required-topology"] = kRack;
  add(first.group("big"), a);
  const Turn last = turn();
  EXPECT_THAT(victims_of(last), ElementsAre("near")) << "and only once: no third node is in the rack";
}

TEST_F(DomainVictimsTest, AReplacedMemberIsNotPromisedANodeElsewhere) {
  const NodeId a = add_node("a", "b1", "r1", 8);
  add_node("free", "b1", "r2", 8);
  PodBuilder first = pod_of("big-x", 8, 100);
  first.pod().metadata.annotations["kueue.x-k8s.io/podset-required-topology"] = kRack;
  submit_to_rack({8}, 1);
  add(first.group("big"), a);
  const Turn last = turn();
  EXPECT_FALSE(last.pods.front().nominated.valid());
  EXPECT_FALSE(last.pods.front().node.valid());
}

// ---- at random ------------------------------------------------------------------------------------------------------

/// Racks of two nodes of 8 GPUs, full of jobs, some of which are gangs across racks. Whether a rack takes the members
/// is tried out here node by node.
class RandomDomainVictims : public DomainVictimsTest, public ::testing::WithParamInterface<int> {
 protected:
  struct Job {
    std::vector<PodId> pods;
    std::vector<std::pair<std::size_t, int>> uses;  // node, GPUs
    std::int32_t priority = 0;
    std::int64_t lost = 0;
  };
  /// Highest priority, jobs, GPU seconds, pods.
  using Criteria = std::tuple<std::int32_t, std::size_t, std::int64_t, std::size_t>;

  RandomDomainVictims() : random_(static_cast<std::uint64_t>(GetParam()) + 7) {}

  int below(int limit) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(limit))); }

  void fill() {
    const int racks = 2 + below(2);
    for (int i = 0; i < 2 * racks; ++i) {
      nodes_.push_back(add_node("n" + std::to_string(i), "b1", "r" + std::to_string(i / 2), 8));
      free_.push_back(8);
    }
    for (int i = 0; i < 30 && jobs_.size() < 12; ++i) add_job("j" + std::to_string(i));
  }
  void add_job(const std::string& name) {
    const int size = below(3) == 0 ? 2 : 1;
    Job job;
    job.priority = below(3);
    const int gpus = 2 << below(3);
    const std::int64_t age = below(500);
    std::vector<int> left = free_;
    for (int i = 0; i < size; ++i) {
      const auto on = static_cast<std::size_t>(below(static_cast<int>(nodes_.size())));
      if (left[on] < gpus) return;
      left[on] -= gpus;
      job.uses.emplace_back(on, gpus);
    }
    if (size > 1) describe(name, size);
    for (std::size_t i = 0; i < job.uses.size(); ++i) {
      PodBuilder one = pod_of(name + '-' + std::to_string(i), gpus, job.priority).started(kNow - age);
      job.pods.push_back(add(size > 1 ? one.group(name) : one, nodes_[job.uses[i].first]));
      job.lost += gpus * age;
    }
    free_ = left;
    jobs_.push_back(std::move(job));
  }
  static bool packs(std::vector<int> free, const std::vector<int>& members, std::size_t next) {
    if (next == members.size()) return true;
    for (int& each : free) {
      if (each < members[next]) continue;
      each -= members[next];
      if (packs(free, members, next + 1)) return true;
      each += members[next];
    }
    return false;
  }
  [[nodiscard]] bool fits(std::uint32_t out, const std::vector<int>& members) const {
    std::vector<int> free = free_;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      for (const auto& [node, gpus] : jobs_[i].uses) free[node] += (out >> i & 1U) != 0 ? gpus : 0;
    }
    for (std::size_t rack = 0; rack < free.size(); rack += 2) {
      if (packs({free[rack], free[rack + 1]}, members, 0)) return true;
    }
    return false;
  }
  [[nodiscard]] Criteria criteria_of(std::uint32_t out) const {
    Criteria criteria{-1, 0, 0, 0};
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if ((out >> i & 1U) == 0) continue;
      std::get<0>(criteria) = std::max(std::get<0>(criteria), jobs_[i].priority);
      ++std::get<1>(criteria);
      std::get<2>(criteria) += jobs_[i].lost;
      std::get<3>(criteria) += jobs_[i].pods.size();
    }
    return criteria;
  }
  std::uint32_t chosen(const Turn& turn) const {
    std::uint32_t out = 0;
    for (const PodTurn& each : turn.pods) {
      for (const PodId victim : each.victims) {
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
          if (std::ranges::find(jobs_[i].pods, victim) != jobs_[i].pods.end()) out |= 1U << i;
        }
      }
    }
    return out;
  }

  placement::testing::RandomObjects random_;
  std::vector<NodeId> nodes_;
  std::vector<int> free_;
  std::vector<Job> jobs_;
};

TEST_P(RandomDomainVictims, AreTheBestOfAllDomains) {
  fill();
  std::vector<int> members;
  for (int i = 1 + below(4); i > 0; --i) members.push_back(2 << below(3));
  submit_to_rack(members);
  const Turn last = turn();
  if (fits(0, members)) {
    EXPECT_EQ(last.verdict, Verdict::kStarts);
    return;
  }
  std::optional<Criteria> best;
  for (std::uint32_t out = 1; out < 1U << jobs_.size(); ++out) {
    if (fits(out, members) && (!best || criteria_of(out) < *best)) best = criteria_of(out);
  }
  EXPECT_EQ(last.verdict, best ? Verdict::kWaitsForRoom : Verdict::kDoesNotFit);
  if (!best) return;
  EXPECT_EQ(criteria_of(chosen(last)), *best);
  expect_start(last);
}

const int kFirstDomainSeed = cluster::testing::number_of("LOADLINE_VICTIMS_FIRST_SEED", 0);
INSTANTIATE_TEST_SUITE_P(
    Seeds, RandomDomainVictims,
    ::testing::Range(kFirstDomainSeed, kFirstDomainSeed + cluster::testing::number_of("LOADLINE_VICTIMS_SEEDS", 150)));

}  // namespace
}  // namespace loadline::gang

#include "simulation/simulation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace loadline::simulation {
namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted == nullptr ? otherwise : std::strtoull(wanted, nullptr, 10);
}

std::uint64_t first_seed() { return number_of("LOADLINE_SIMULATION_FIRST_SEED", 1); }

TEST(Simulation, KeepsItsPromisesWhateverHappens) {
  const std::uint64_t seeds = number_of("LOADLINE_SIMULATION_SEEDS", 45);
  const bool goes_on = number_of("LOADLINE_SIMULATION_GOES_ON", 0) != 0;
  std::uint64_t faults = 0;
  std::uint64_t restarts = 0;
  std::uint64_t reboots = 0;
  std::uint64_t broken = 0;
  std::map<std::string, std::size_t> notes;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + seeds; ++seed) {
    Simulation simulation(seed);
    simulation.run();
    faults += simulation.faults();
    restarts += simulation.restarts();
    reboots += simulation.reboots();
    for (const auto& [what, count] : simulation.notes()) notes[what] += count;
    if (simulation.violations().empty()) continue;
    ++broken;
    if (goes_on) {
      ADD_FAILURE() << "seed " << seed << ": " << simulation.violations().front().substr(0, 300);
      std::fflush(stdout);
      continue;
    }
    FAIL() << "LOADLINE_SIMULATION_FIRST_SEED=" << seed
           << " LOADLINE_SIMULATION_SEEDS=1 repeats it; with LOADLINE_SIMULATION_TRACE=NAME, too, it tells what "
              "happens to whatever has that name\n"
           << fmt::format("{}", fmt::join(simulation.violations(), "\n")) << '\n'
           << simulation.story();
  }
  std::puts(fmt::format("{} seeds: {} faults, {} restarts of the control loop, {} of the process, {} seeds broken",
                        seeds, faults, restarts, reboots, broken)
                .c_str());
  for (const auto& [what, count] : notes) std::puts(fmt::format("  {} {}", count, what).c_str());
  if (seeds < 20) return;  // a few need not have seen everything
  for (const char* what : {"admitted workloads",
                           "bound claims",
                           "budgets that allow something",
                           "cronjobs",
                           "daemonsets",
                           "decisions for members of groups",
                           "deployments",
                           "evicted workloads",
                           "finished workloads",
                           "gated pods",
                           "gangs on nodes",
                           "gangs that wait for members",
                           "gangs that wait for room",
                           "jobs",
                           "jobs that a queue started",
                           "jobs that have to wait for each other",
                           "jobs.batch.volcano.sh",
                           "jobsets",
                           "leaderworkersets",
                           "mpijobs.kubeflow.org",
                           "namespaces that went",
                           "owners",
                           "podcliquesets",
                           "pods that a queue holds",
                           "pods that their group released",
                           "pytorchjobs.kubeflow.org",
                           "queues that are stopped",
                           "quotas",
                           "rayclusters",
                           "replicasets",
                           "replicationcontrollers",
                           "rounds of fresh queues",
                           "services",
                           "statefulsets",
                           "waiting pods",
                           "waiting pods of the second scheduler",
                           "workloads that run",
                           "workloads that wait"}) {
    EXPECT_GT(notes[what], 0U) << what;
  }
  EXPECT_GT(faults, seeds * 10);
  EXPECT_GE(restarts, seeds / 2);
  EXPECT_GE(reboots, seeds / 4);
}

/// Seeds that broke a promise once. 770135, 770196, 770248 and 770487: a group that had started, had lost pods and
/// could not replace them gave way to another, as the recommended policy has it. 770813: a task of a Volcano Job failed
/// that another waits for. 770103: all pods of a gang were bound, but one had failed before the scheduler heard of it.
/// 771215 and 771568 broke none: a group and pods that fit wait for the planned start of another group. Nor did 773534:
/// the only pod that another could evict was one of a gang with a member as important as that other.
/// 770934: a PodGroup was replaced when all its members but one had succeeded. 771409: a claim was deleted and made
/// anew while its pod's binding was under way.
class SeedsThatFoundFaults : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(SeedsThatFoundFaults, KeepTheirPromises) {
  Simulation simulation(GetParam(), {}, Simulation::Queues::kNone);
  simulation.run();
  EXPECT_THAT(simulation.violations(), ::testing::IsEmpty()) << simulation.story();
}

INSTANTIATE_TEST_SUITE_P(Simulation, SeedsThatFoundFaults,
                         ::testing::Values(1082, 4888, 770135, 770196, 770248, 770487, 770813, 770103, 771215, 771568,
                                           770934, 771409, 774036, 773534, 1050001681, 1050004205, 1092002229));

/// The same of lives with queues.
class SeedsOfQueuesThatFoundFaults : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(SeedsOfQueuesThatFoundFaults, KeepTheirPromises) {
  Simulation simulation(GetParam(), {}, Simulation::Queues::kKueue);
  simulation.run();
  EXPECT_THAT(simulation.violations(), ::testing::IsEmpty()) << simulation.story();
}

INSTANTIATE_TEST_SUITE_P(Simulation, SeedsOfQueuesThatFoundFaults, ::testing::Values(4));

TEST(Simulation, IsTheSameForTheSameSeed) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + 4; ++seed) {
    Simulation one(seed);
    one.run();
    Simulation other(seed);
    other.run();
    EXPECT_EQ(one.digest(), other.digest()) << seed;
    EXPECT_EQ(one.story(), other.story());
  }
  Simulation one(1);
  one.run();
  Simulation other(2);
  other.run();
  EXPECT_NE(one.digest(), other.digest());
}

}  // namespace
}  // namespace loadline::simulation

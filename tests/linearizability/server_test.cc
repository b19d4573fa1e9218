// The whole server under faults of its connections, its disk, its power and its clock: the answers that clients get
// about each object are linearizable, and every watcher sees every revision once, in order.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "linearizability/contest.h"

namespace loadline::linearizability {
namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted == nullptr ? otherwise : std::strtoull(wanted, nullptr, 10);
}

TEST(ServerLinearizability, AnOrderExplainsWhatClientsAreTold) {
  const std::uint64_t seeds = number_of("LOADLINE_LINEARIZABILITY_SEEDS", 50);
  const std::uint64_t first = number_of("LOADLINE_LINEARIZABILITY_FIRST_SEED", 1);
  Contest::Counts counts;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    Contest contest(seed);
    contest.run();
    counts += contest.counts();
    ASSERT_TRUE(contest.violations().empty())
        << "LOADLINE_LINEARIZABILITY_FIRST_SEED=" << seed << " LOADLINE_LINEARIZABILITY_SEEDS=1 repeats it\n"
        << fmt::format("{}", fmt::join(contest.violations(), "\n"));
  }
  std::printf("%s\n", fmt::format("{} seeds: {} requests answered, {} of them refused; {} had unknown outcomes, "
                                  "of which {} had happened; {} restarts, {} jumps of the clock, {} events",
                                  seeds, counts.answered, counts.refused, counts.unknown, counts.late, counts.restarts,
                                  counts.jumps, counts.events)
                          .c_str());
  EXPECT_GT(counts.answered, seeds * 80);
  EXPECT_GT(counts.refused, seeds * 20);
  EXPECT_GT(counts.unknown, seeds * 2);
  EXPECT_GT(counts.late, seeds / 2);
  EXPECT_GT(counts.events, seeds * 20);
}

TEST(ServerLinearizability, TheSameSeedIsTheSameRun) {
  Contest one(3);
  one.run();
  Contest other(3);
  other.run();
  EXPECT_EQ(one.digest(), other.digest());
}

}  // namespace
}  // namespace loadline::linearizability

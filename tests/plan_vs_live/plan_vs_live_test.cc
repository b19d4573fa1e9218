// `plan` and the live cluster decide alike: from the same snapshot the same pods go to the same nodes, for the same
// victims, with the same words, in the same order.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

#include "brain/cluster/testing/seeds.h"
#include "plan_vs_live/scenario.h"
#include "plan_vs_live/two_hosts.h"

namespace loadline::plan_vs_live {
namespace {

using cluster::testing::number_of;

std::string text_of(const Outcome& outcome) {
  std::string text = fmt::format("{}\n", fmt::join(outcome.decisions, "\n"));
  for (const auto& [pod, node] : outcome.nodes) text += fmt::format("in the end: {} on \"{}\"\n", pod, node);
  return text;
}

std::string story(const Scenario& scenario) {
  return fmt::format("{}\n{}\nrunning:\n{}\narrivals:\n{}\n", fmt::join(scenario.surroundings, "\n"),
                     fmt::join(scenario.nodes, "\n"), fmt::join(scenario.running, "\n"),
                     fmt::join(scenario.arrivals, "\n"));
}

TEST(Agreement, PlanAndClusterDecideAlike) {
  const std::uint64_t first = number_of("LOADLINE_AGREEMENT_FIRST_SEED", 1);
  const std::uint64_t seeds = number_of("LOADLINE_AGREEMENT_SEEDS", 200);
  const bool goes_on = number_of("LOADLINE_AGREEMENT_GOES_ON", 0) != 0;
  std::map<std::string, std::size_t> seen;
  std::size_t broken = 0;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const Scenario scenario = make_scenario(seed);
    const TwoOutcomes both = run_in_both(scenario, seed);
    for (const std::string& line : both.plan.decisions) {
      for (const char* what : {"goes to", "goes nowhere", "[nominated", "[evicts"}) {
        if (line.find(what) != std::string::npos) ++seen[what];
      }
    }
    const std::string planned = text_of(both.plan);
    const std::string lived = text_of(both.cluster);
    if (both.problems.empty() && planned == lived) continue;
    ++broken;
    if (goes_on) {
      std::puts(fmt::format("seed {} differs", seed).c_str());
      continue;
    }
    ASSERT_TRUE(both.problems.empty()) << "seed " << seed << ": " << fmt::format("{}", fmt::join(both.problems, "\n"));
    ASSERT_EQ(planned, lived) << "LOADLINE_AGREEMENT_FIRST_SEED=" << seed << " LOADLINE_AGREEMENT_SEEDS=1 repeats it\n"
                              << story(scenario);
  }
  EXPECT_EQ(broken, 0U);
  if (seeds < 100) return;  // a few need not have seen everything
  for (const char* what : {"goes to", "goes nowhere", "[nominated", "[evicts"}) {
    EXPECT_GT(seen[what], 0U) << what;
    std::puts(fmt::format("{} {}", seen[what], what).c_str());
  }
}

}  // namespace
}  // namespace loadline::plan_vs_live

#include "hosts/replay/sweep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>

#include "hosts/replay/arrangements.h"
#include "hosts/replay/testing/nodes.h"
#include "hosts/trace/testing/listed_works.h"

namespace loadline::replay {
namespace {

using trace::testing::ListedWorks;
using trace::testing::pod_of;
using trace::testing::work;

std::vector<trace::Work> some_works(std::uint64_t seed, std::size_t count) {
  Rng rng(seed);
  std::vector<trace::Work> works;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    at += static_cast<std::int64_t>(rng.below(30));
    works.push_back(work(fmt::format("w{}", i), at, 1 + static_cast<std::int64_t>(rng.below(600)),
                         pod_of(1000, 1 + static_cast<std::int64_t>(rng.below(4)))));
  }
  return works;
}

OpenWorks open_works() {
  return [](const Variant&, std::uint64_t seed) -> Result<std::unique_ptr<trace::WorkSource>> {
    auto listed = std::make_unique<ListedWorks>(some_works(3, 200));
    return std::make_unique<NoisyWorks>(std::move(listed), 0.3, seed);
  };
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const std::size_t nodes : {2, 3, 5}) {
    Variant variant;
    variant.name = fmt::format("nodes={}", nodes);
    variant.cluster = std::make_shared<const kube::Objects>(testing::nodes(nodes, 16, 4));
    all.push_back(std::move(variant));
  }
  return all;
}

std::string digest(const std::vector<VariantRuns>& all) {
  std::string text;
  for (const VariantRuns& variant : all) {
    for (const Summary& run : variant.runs) {
      text += fmt::format("{} {} {} {} {}\n", variant.name, run.makespan.nanoseconds, run.all.waiting.mean,
                          run.gpus_used, run.decisions);
    }
  }
  return text;
}

TEST(Sweep, DoesNotDependOnTheNumberOfThreads) {
  SweepOptions options;
  options.runs = 6;
  const auto alone = sweep(variants(), open_works(), options, {});
  options.threads = 4;
  const auto together = sweep(variants(), open_works(), options, {});
  ASSERT_TRUE(alone && together);
  EXPECT_EQ(digest(*alone), digest(*together));
  ASSERT_EQ(alone->size(), 3u);
  EXPECT_EQ((*alone)[2].runs.size(), 6u);
}

TEST(Sweep, RunsOfOneVariantDifferAndFewerNodesTakeLonger) {
  SweepOptions options;
  options.runs = 4;
  const auto result = sweep(variants(), open_works(), options, {});
  ASSERT_TRUE(result);
  std::set<std::int64_t> makespans;
  for (const Summary& run : result->front().runs) makespans.insert(run.makespan.nanoseconds);
  EXPECT_GT(makespans.size(), 1u);
  EXPECT_GT(result->front().runs.front().all.waiting.mean, result->back().runs.front().all.waiting.mean);
}

TEST(Sweep, TellsTheErrorOfTheFirstRunThatHasOne) {
  const OpenWorks open = [](const Variant& variant, std::uint64_t) -> Result<std::unique_ptr<trace::WorkSource>> {
    if (variant.name != "nodes=2") return failure("cannot open for " + variant.name);
    return std::make_unique<ListedWorks>(some_works(1, 5));
  };
  SweepOptions options;
  options.threads = 3;
  const auto result = sweep(variants(), open, options, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "cannot open for nodes=3");
}

TEST(Interval, OfKnownValues) {
  // s = 1, t(0.975, 2) = 4.303.
  const Interval interval = interval_of({9, 10, 11});
  EXPECT_DOUBLE_EQ(interval.mean, 10);
  EXPECT_NEAR(interval.high - interval.mean, 4.303 / std::sqrt(3.0), 1e-9);
  EXPECT_DOUBLE_EQ(interval_of({7}).low, 7);
}

TEST(Arrangements, FillingAsksForAsMuchAsWantedAndForNoMore) {
  std::int64_t gpus = 0;
  std::set<std::string> names;
  std::size_t count = 0;
  ListedWorks source(some_works(5, 50));
  auto works = *fill_cluster(source, 200'000, 1.3, 42);
  for (std::optional<trace::Work> next = *works->next(); next; next = *works->next()) {
    gpus += next->pods.front().pod->spec->containers.front().resources.requests.at("nvidia.com/gpu").value();
    EXPECT_EQ(next->arrives, Duration::seconds(static_cast<std::int64_t>(count++)));
    EXPECT_FALSE(next->run_time || next->deleted);
    EXPECT_TRUE(names.insert(next->name).second) << next->name;
  }
  EXPECT_LE(gpus, 260);
  EXPECT_GT(gpus, 256);  // no work asks for more than four
}

TEST(Arrangements, FillingLeavesOutWhatIsTooMuch) {
  ListedWorks source(some_works(5, 50));
  auto works = *fill_cluster(source, 20'000, 1, 1);
  std::int64_t gpus = 0;
  for (std::optional<trace::Work> next = *works->next(); next; next = *works->next()) {
    gpus += next->pods.front().pod->spec->containers.front().resources.requests.at("nvidia.com/gpu").value();
  }
  EXPECT_LE(gpus, 20);
}

}  // namespace
}  // namespace loadline::replay

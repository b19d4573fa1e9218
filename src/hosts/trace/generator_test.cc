#include "hosts/trace/generator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "hosts/trace/arrival_rhythm.h"
#include "hosts/trace/modal_estimates.h"
#include "hosts/trace/portable_math.h"
#include "hosts/trace/testing/works.h"

namespace loadline::trace {
namespace {

std::vector<Work> generated(const GeneratorOptions& options) {
  const auto source = generate(options);
  std::vector<Work> works;
  while (auto work = (*source)->next().value()) works.push_back(*std::move(work));
  return works;
}

const std::vector<Work>& hundred_thousand() {
  static const auto& works = *new std::vector<Work>(generated({.jobs = 100'000, .nodes = 256, .load = 0.95}));
  return works;
}

std::int64_t gpus_of(const Work& work) {
  const auto& requests = spec_of(work).containers.front().resources.requests;
  return requests.at("nvidia.com/gpu").value() * static_cast<std::int64_t>(work.pods.front().count);
}

double seconds(Duration span) { return static_cast<double>(span.nanoseconds) / 1e9; }

TEST(PortableMath, AgreesWithTheLibraryToItsLastDigits) {
  for (double x = 1e-300; x < 1e300; x *= 1.37) {
    EXPECT_NEAR(natural_log(x), std::log(x), 1e-15 * std::max(1.0, std::fabs(std::log(x)))) << x;
  }
  for (double x = -690; x < 690; x += 0.37) EXPECT_NEAR(exponential(x) / std::exp(x), 1, 1e-14) << x;
  for (double p = 1e-12; p < 1; p += 0.00137) {
    EXPECT_NEAR(0.5 * std::erfc(-inverse_normal(p) / std::sqrt(2.0)) / p, 1, 1e-12) << p;
    EXPECT_NEAR(inverse_normal(p), -inverse_normal(1 - p), 1e-4) << p;
  }
}

TEST(Generator, TheSameSeedGivesTheSameWorksAndAnotherOneOthers) {
  const std::vector<Work> works = generated({.seed = 7, .jobs = 500});
  const std::vector<Work> again = generated({.seed = 7, .jobs = 500});
  const std::vector<Work> others = generated({.seed = 8, .jobs = 500});
  std::size_t differing = 0;
  for (std::size_t i = 0; i < works.size(); ++i) {
    EXPECT_EQ(works[i].arrives, again[i].arrives);
    EXPECT_EQ(works[i].run_time, again[i].run_time);
    EXPECT_EQ(works[i].estimate, again[i].estimate);
    EXPECT_EQ(works[i].tenant, again[i].tenant);
    EXPECT_EQ(gpus_of(works[i]), gpus_of(again[i]));
    differing += works[i].run_time == others[i].run_time ? 0 : 1;
  }
  EXPECT_GT(differing, 450u);
}

/// What was made once is made for ever, on any machine: whoever changes this changes everybody's experiments.
TEST(Generator, TheFirstWorksOfSeedOneAreTheseForEver) {
  std::string text;
  for (const Work& work : generated({.seed = 1, .jobs = 5})) {
    text += fmt::format("{} {} {} {} {} {}\n", seconds(work.arrives), gpus_of(work), seconds(*work.run_time),
                        seconds(*work.estimate), work.work_class, work.tenant);
  }
  EXPECT_EQ(text,
            "3 1 15990 28800 experiment team-6\n19 1 1799 43200 interactive team-15\n"
            "33 1 2928 604800 experiment team-1\n35 2 433 2580 training team-5\n40 1 214 86400 interactive team-1\n");
}

TEST(Generator, RunTimesHaveTheirMedianAndTheirTail) {
  std::vector<double> run_times;
  for (const Work& work : hundred_thousand()) run_times.push_back(seconds(*work.run_time));
  std::ranges::sort(run_times);
  EXPECT_NEAR(run_times[50'000], 1200, 40);
  EXPECT_NEAR(run_times[90'000], 12'600, 500);
  EXPECT_LE(run_times.back(), 7 * 86'400);
  EXPECT_GE(run_times.front(), 1);
}

TEST(Generator, TheClusterIsAskedForItsLoad) {
  for (const double load : {0.5, 0.95, 1.2}) {
    const std::vector<Work> works = generated({.seed = 3, .jobs = 50'000, .nodes = 64, .load = load});
    double demand = 0;
    for (const Work& work : works) demand += static_cast<double>(gpus_of(work)) * seconds(*work.run_time);
    const double offered = demand / (64 * 8 * seconds(works.back().arrives));
    EXPECT_NEAR(offered / load, 1, 0.02);
  }
}

TEST(Generator, SizesArePowersOfTwoAndLargeJobsAreGangsOfWholeNodes) {
  std::map<std::int64_t, std::size_t> sizes;
  std::map<std::string, std::size_t> classes;
  for (const Work& work : hundred_thousand()) {
    const std::int64_t gpus = gpus_of(work);
    ++sizes[gpus];
    ++classes[work.work_class];
    EXPECT_EQ(work.is_gang, gpus > 8);
    EXPECT_EQ(request(work, "nvidia.com/gpu"), std::to_string(std::min<std::int64_t>(gpus, 8)));
    EXPECT_EQ(work.work_class == "large", gpus > 8);
  }
  EXPECT_EQ(sizes.begin()->first, 1);
  EXPECT_EQ(sizes.rbegin()->first, 256);
  EXPECT_EQ(sizes.size(), 9u);
  EXPECT_NEAR(static_cast<double>(sizes[1]), 52'000, 800);
  EXPECT_EQ(classes.size(), 4u);
}

TEST(Generator, LargerJobsRunLonger) {
  std::map<bool, std::vector<double>> run_times;
  for (const Work& work : hundred_thousand()) run_times[gpus_of(work) > 8].push_back(seconds(*work.run_time));
  for (auto& [is_large, each] : run_times) std::ranges::sort(each);
  EXPECT_GT(run_times[true][run_times[true].size() / 2], 2 * run_times[false][run_times[false].size() / 2]);
}

TEST(Generator, NineOfTenEstimatesAreOneOfTwentyAndNoneIsTooShort) {
  std::map<std::int64_t, std::size_t> estimates;
  for (const Work& work : hundred_thousand()) {
    EXPECT_GE(*work.estimate, *work.run_time);
    ++estimates[work.estimate->nanoseconds / 1'000'000'000];
  }
  std::size_t popular = 0;
  for (const PopularEstimate& each : kPopularEstimates) {
    popular += estimates[each.seconds];
    EXPECT_GE(estimates[7 * 86'400], estimates[each.seconds]) << "the longest is the most popular";
  }
  EXPECT_NEAR(static_cast<double>(popular), 90'500, 1'000);
  EXPECT_GT(estimates.size(), 1'000u) << "the others give numbers of their own";
  for (const Work& work : generated({.jobs = 100, .estimates = Estimates::kExact})) {
    EXPECT_EQ(work.estimate, work.run_time);
  }
}

TEST(Generator, ArrivalsFollowTheDayAndTheWeek) {
  ArrivalRhythm rhythm(GeneratorOptions::kMonday, Duration::seconds(4 * 7 * 86'400), 200'000, 5);
  std::map<std::int64_t, double> hours;
  std::map<std::int64_t, double> days;
  Duration last;
  for (int i = 0; i < 200'000; ++i) {
    const Duration at = rhythm.next();
    EXPECT_GE(at, last);
    last = at;
    const std::int64_t hour = at.nanoseconds / 1'000'000'000 / 3600;
    hours[hour % 24] += 1;
    days[hour / 24 % 7] += 1;
  }
  EXPECT_NEAR(seconds(last) / (4 * 7 * 86'400), 1, 0.01);
  EXPECT_NEAR(hours[15] / hours[4], 1.46 / 0.35, 0.25);
  EXPECT_NEAR(days[5] / days[1], 0.66 / 1.16, 0.03);
}

TEST(Generator, AnyStartAndAnySpanHaveTheirArrivals) {
  for (const std::int64_t start : {-1'000'001LL, 0LL, 1'767'571'200LL + 5 * 86'400 + 1234}) {
    const Duration span = Duration::seconds(100'000);
    ArrivalRhythm rhythm({start * 1'000'000'000}, span, 20'000, 1);
    int count = 0;
    while (rhythm.next() < span) ++count;
    EXPECT_NEAR(count, 20'000, 3 * 141) << "at " << start << ", within three standard deviations";
  }
}

TEST(Generator, TenantsFollowZipf) {
  std::map<std::string, double> tenants;
  for (const Work& work : hundred_thousand()) tenants[work.tenant] += 1;
  EXPECT_EQ(tenants.size(), 20u);
  EXPECT_NEAR(tenants["team-1"] / tenants["team-2"], 2, 0.1);
  EXPECT_NEAR(tenants["team-1"] / tenants["team-10"], 10, 1);
}

TEST(Generator, NoJobIsLargerThanTheClusterOrThanIsAskedFor) {
  for (const Work& work : generated({.jobs = 2'000, .nodes = 3, .gpus_per_node = 6})) {
    EXPECT_LE(gpus_of(work), 18);
    EXPECT_LE(spec_of(work).containers.front().resources.requests.at("nvidia.com/gpu").value(), 4);
  }
  for (const Work& work : generated({.jobs = 2'000, .max_gpus = 4})) EXPECT_LE(gpus_of(work), 4);
}

TEST(Generator, PrioritiesMayBeLeftOutAndNothingElseChanges) {
  const std::vector<Work> with = generated({.jobs = 200});
  const std::vector<Work> without = generated({.jobs = 200, .has_priorities = false});
  for (std::size_t i = 0; i < with.size(); ++i) {
    EXPECT_TRUE(spec_of(with[i]).priority);
    EXPECT_FALSE(spec_of(without[i]).priority);
    EXPECT_EQ(with[i].estimate, without[i].estimate);
    EXPECT_EQ(with[i].tenant, without[i].tenant);
  }
}

TEST(Generator, WorksShareTheirPods) {
  std::set<const kube::PodSpec*> specs;
  for (const Work& work : hundred_thousand()) specs.insert(&spec_of(work));
  EXPECT_LE(specs.size(), 16u);
}

TEST(Generator, OptionsThatMakeNoSenseAreRefused) {
  EXPECT_EQ(generate({.nodes = 0}).error().message, "nodes: 0 is not at least 1");
  EXPECT_EQ(generate({.gpus_per_node = -1}).error().message, "GPUs per node: -1 is not at least 1");
  EXPECT_EQ(generate({.max_gpus = 0}).error().message, "most GPUs of a job: 0 is not at least 1");
  EXPECT_EQ(generate({.load = 95000}).error().message,
            "load: 95000 is not between 0.001 and 100; 0.9 is nine tenths of the GPUs");
  EXPECT_EQ(generate({.nodes = 1'000'000, .gpus_per_node = 1'000}).error().message,
            "1000000 nodes of 1000 GPUs are more than 100000000 GPUs");
  EXPECT_TRUE(generated({.jobs = 0}).empty());
}

}  // namespace
}  // namespace loadline::trace

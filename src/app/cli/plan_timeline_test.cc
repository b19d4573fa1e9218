#include "app/cli/plan_timeline.h"

#include <gtest/gtest.h>

#include <sstream>

#include "app/report/testing/timeline_builder.h"

namespace loadline::cli {
namespace {

std::string written(const timeline::Timeline& timeline, OutputFormat format, const Terminal& terminal) {
  std::ostringstream out;
  std::ostringstream err;
  std::istringstream in;
  Console console{in, out, err, terminal, terminal};
  write_timeline(timeline, format, console);
  EXPECT_EQ(err.str(), "");
  return out.str();
}

constexpr Terminal kTerminal100{.interactive = true, .width = 100};

TEST(PlanTimeline, SaysFirstWhatWaitsAndWhy) {
  EXPECT_EQ(written(report::testing::example_timeline(), OutputFormat::kTable, kTerminal100),
            R"(✗ 2 of 5 workloads still wait after 4h, 1 failed
7 pods on 2 nodes; median wait 30m

WAITING at the end
  Job ml/sweep  in part since 1h30m
  Job ml/huge  waited 3h
      0/2 nodes are available: 2 Insufficient nvidia.com/gpu.

FAILED
  Job ml/tune  at 2h30m
      Job has reached the specified backoff limit

WORKLOAD           PODS  WAITED  STARTED  ENDED  OUTCOME    0                                     4h
Deployment ml/web     1      0s       0s         running    ████████████████████████████████████████
Job ml/train          2      0s       0s  1h30m  completed  ███████████████
Job ml/tune           1   1h30m    1h30m  2h30m  failed     ···············▓▓▓▓▓▓▓▓▓▓
Job ml/sweep          2     30m    1h30m         starting             ·····▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
Job ml/huge           1      3h                  pending              ······························
· waiting  ▒ running in part  █ running  ▓ failed

IN USE          MEAN  MOST  OVER 4h
cpu              38%   50%  ▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▄▄▄▄▄▄▄▄▄▄▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃
memory           17%   25%  ▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂
nvidia.com/gpu   75%  100%  ███████████████▆▆▆▆▆▆▆▆▆▆▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅
pending pods     2.0     4  ▃▃▃▃▃▃▃▃▃▃█████▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅
)");
}

TEST(PlanTimeline, IsPureAsciiWhereTheLocaleIs) {
  Terminal terminal = kTerminal100;
  terminal.letters = Letters::kAscii;
  for (const OutputFormat format : {OutputFormat::kTable, OutputFormat::kWide}) {
    for (const char letter : written(report::testing::example_timeline(), format, terminal)) {
      ASSERT_LT(static_cast<unsigned char>(letter), 0x80);
    }
  }
}

TEST(PlanTimeline, FitsTheWidthOfTheTerminal) {
  for (const std::size_t width : {80U, 100U, 160U}) {
    std::istringstream lines(
        written(report::testing::example_timeline(), OutputFormat::kTable, {.interactive = true, .width = width}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(Line(line).width(), width) << line;
  }
}

TEST(PlanTimeline, SaysThatAllHasEnded) {
  report::testing::TimelineBuilder builder(200);
  builder.timeline().nodes = {"a"};
  builder.timeline().is_idle = true;
  builder.workload("Job", "short", timeline::Ending::kCompleted).pod("a", 0, 3);
  builder.workload("Job", "long", timeline::Ending::kCompleted).pod("a", 0, 200);
  const std::string text = written(builder.timeline(), OutputFormat::kTable, kTerminal100);
  EXPECT_EQ(text.substr(0, text.find('\n')), "✓ 2 workloads, all ended by 3h20m");
}

TEST(PlanTimeline, OfManyWorkloadsShowsSome) {
  report::testing::TimelineBuilder builder(200);
  for (int i = 0; i < 60; ++i) {
    builder.workload("Job", "job-" + std::to_string(i), timeline::Ending::kPending).pod("", {}, {});
  }
  const std::string text = written(builder.timeline(), OutputFormat::kTable, kTerminal100);
  EXPECT_NE(text.find("… 55 more workloads\n"), std::string::npos) << text;
  EXPECT_NE(text.find("… 10 more workloads\n"), std::string::npos) << text;
  EXPECT_NE(written(builder.timeline(), OutputFormat::kWide, kTerminal100).find("job-59-0"), std::string::npos);
}

}  // namespace
}  // namespace loadline::cli

#include "app/report/timeline_figures.h"

#include <gtest/gtest.h>

#include "app/report/testing/timeline_builder.h"

namespace loadline::report {
namespace {

using testing::minutes;
using timeline::Ending;

std::string text_of(const std::vector<Phase>& phases) {
  std::string text;
  for (const Phase& phase : phases) {
    constexpr const char* kLetters = "wsr";
    text += kLetters[static_cast<std::size_t>(phase.activity)] +
            std::to_string(phase.from.nanoseconds / 60'000'000'000) + "-" +
            std::to_string(phase.to.nanoseconds / 60'000'000'000) + " ";
  }
  return text;
}

TEST(Phases, TellWaitingFromStartingAndRunning) {
  const auto phases = phases_of(testing::example_timeline());
  EXPECT_EQ(text_of(phases[0]), "r0-240 ");
  EXPECT_EQ(text_of(phases[1]), "r0-90 ");
  EXPECT_EQ(text_of(phases[3]), "w60-90 s90-240 ");
  EXPECT_EQ(text_of(phases[4]), "w60-240 ");
}

TEST(Phases, HaveGapsWhileThereAreNoPods) {
  testing::TimelineBuilder builder(100);
  builder.workload("CronJob", "nightly", Ending::kRunning).pod("a", 0, 10).pod("a", 50, 60);
  builder.last_pod().created = minutes(50);
  builder.workload("Job", "replaced", Ending::kCompleted).pod("a", 5, 20).pod("a", 20, 30);
  builder.last_pod().created = minutes(20);
  builder.workload("Job", "suspended", Ending::kPending, 30);
  const auto phases = phases_of(builder.timeline());
  EXPECT_EQ(text_of(phases[0]), "r0-10 r50-60 ");
  EXPECT_EQ(text_of(phases[1]), "w0-5 r5-30 ");  // a pod that takes another's place at once makes no seam
  EXPECT_EQ(text_of(phases[2]), "w30-100 ");
}

TEST(Endings, SayWhetherAllIsWell) {
  const Endings endings = endings_of(testing::example_timeline());
  EXPECT_EQ(endings.workloads, 5U);
  EXPECT_EQ(endings.waiting(), 2U);
  EXPECT_EQ(endings.failed, 1U);
  EXPECT_FALSE(endings.all_well());
  testing::TimelineBuilder builder(10);
  builder.workload("Job", "expired", Ending::kDeleted).pod("a", 0, 5);
  EXPECT_TRUE(endings_of(builder.timeline()).all_well());
  builder.timeline().notes.emplace_back().severity = Severity::kAdvice;
  EXPECT_TRUE(endings_of(builder.timeline()).all_well());
  builder.timeline().notes.front().severity = Severity::kWarning;
  EXPECT_FALSE(endings_of(builder.timeline()).all_well());  // the API server refused an object
  builder.timeline().notes.clear();
  builder.workload("Pod", "preempted", Ending::kDeleted).pod("a", 0, 5);
  EXPECT_FALSE(endings_of(builder.timeline()).all_well());
}

TEST(Times, CountFromArrivals) {
  const timeline::Timeline timeline = testing::example_timeline();
  EXPECT_EQ(waiting_of(timeline.workloads[3], timeline.end), minutes(30));
  EXPECT_EQ(waiting_of(timeline.workloads[4], timeline.end), minutes(180));  // so far
  EXPECT_EQ(median_waiting(timeline), minutes(30));
  EXPECT_EQ(makespan_of(timeline), minutes(240));  // something goes on
  EXPECT_EQ(median_waiting({}), std::nullopt);
}

TEST(Shares, AreOfWhatIsAllocatableThen) {
  const timeline::ResourceUse use{
      "cpu", {{minutes(0), 0}, {minutes(10), 4}, {minutes(20), 8}}, {{minutes(10), 4}, {minutes(30), 0}}};
  const std::vector<timeline::Step> shares = shares_of(use);
  ASSERT_EQ(shares.size(), 4U);
  EXPECT_EQ(shares[0].value, 0);
  EXPECT_EQ(shares[1].value, 1);
  EXPECT_EQ(shares[2].value, 0.5);
  EXPECT_EQ(shares[3].value, 0);
  EXPECT_DOUBLE_EQ(mean_of(shares, {}, minutes(40)), (10 * 1 + 10 * 0.5) / 40);
  EXPECT_EQ(means_of(shares, minutes(40), 4), (std::vector<double>{0, 1, 0.5, 0}));
  EXPECT_EQ(mean_of(shares, minutes(25), minutes(25)), 0.5);
}

TEST(Narrowed, KeepsTheWorkloadsOfANamespaceWithTheirPods) {
  timeline::Timeline timeline = testing::example_timeline();
  timeline.workloads[0].name.name_space = "web";
  const timeline::Timeline narrowed = narrowed_to(timeline, {"ml"});
  ASSERT_EQ(narrowed.workloads.size(), 4U);
  ASSERT_EQ(narrowed.pods.size(), 6U);
  for (const timeline::PodLife& pod : narrowed.pods) {
    EXPECT_TRUE(pod.name.starts_with(narrowed.workloads[pod.workload].name.name));
  }
  EXPECT_EQ(narrowed_to(timeline, {}).workloads.size(), 5U);
}

}  // namespace
}  // namespace loadline::report

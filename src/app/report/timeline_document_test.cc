#include "app/report/timeline_document.h"

#include <gtest/gtest.h>

#include "app/report/testing/timeline_builder.h"
#include "app/report/timeline_page.h"
#include "foundation/document/writer.h"

namespace loadline::report {
namespace {

TEST(TimelineDocument, HoldsLivesAndTheirTimes) {
  const document::Value document = timeline_document(testing::example_timeline());
  const auto text = [&](const char* member) { return document::write_json(*document.find(member)); };
  EXPECT_EQ(text("kind"), R"("Timeline")");
  EXPECT_EQ(text("start"), R"("2026-01-01T00:00:00Z")");
  EXPECT_EQ(text("end"), "14400");
  EXPECT_EQ(text("summary"),
            R"({"workloads":5,"pending":1,"starting":1,"running":1,"completed":1,"failed":1,"deleted":0,"lost":0,)"
            R"("refused":0,"allWell":false,"makespan":14400,"medianWaiting":1800})");
  const auto item = [&](const char* list, std::size_t i) {
    return document::write_json(document.find(list)->array().at(i));
  };
  EXPECT_EQ(
      item("workloads", 1),
      R"({"workload":{"kind":"Job","namespace":"ml","name":"train"},"ending":"Completed","arrived":0,"started":0,)"
      R"("allStarted":0,"ended":5400,"waiting":0,"pods":2,"failedPods":0})");
  EXPECT_EQ(item("pods", 6),
            R"({"namespace":"ml","name":"huge-0","workload":{"kind":"Job","namespace":"ml","name":"huge"},)"
            R"("ending":"Pending","created":3600,"restarts":0,)"
            R"("message":"0/2 nodes are available: 2 Insufficient nvidia.com/gpu."})");
  EXPECT_EQ(item("resources", 3), R"({"name":"nvidia.com/gpu","meanShare":0.75,"allocatable":[{"at":0,"value":8}],)"
                                  R"("requested":[{"at":0,"value":8},{"at":5400,"value":6},{"at":9000,"value":4}]})");
  EXPECT_EQ(text("notes"), "[]");
}

TEST(TimelineCsv, HasARowAPod) {
  const Table table = timeline_csv(testing::example_timeline());
  ASSERT_EQ(table.rows.size(), 7U);
  EXPECT_EQ(table.rows[3], (std::vector<std::string>{"ml", "tune-0", "Job", "tune", "gpu-1", "failed", "0", "5400",
                                                     "5402", "9000", "0", "The container failed with exit code 1"}));
  EXPECT_EQ(table.rows[6][7], "");
}

TEST(TimelinePage, ShowsWorkloadsNodesUseAndWhatWaits) {
  const page::Page page = timeline_page(testing::example_timeline());
  EXPECT_EQ(page.title, "5 workloads on 2 nodes");
  const auto& figures = std::get<page::Figures>(page.parts.at(0)).values;
  EXPECT_EQ(figures.back(), (std::pair<std::string, std::string>{"GPUs in use, mean", "75 %"}));
  const auto& waiting = std::get<page::Table>(page.parts.at(1));
  ASSERT_EQ(waiting.rows.size(), 2U);
  EXPECT_EQ(waiting.rows[1], (std::vector<std::string>{"Job ml/huge", "1h", "3h",
                                                       "0/2 nodes are available: 2 Insufficient nvidia.com/gpu."}));
  const auto& workloads = std::get<page::Gantt>(page.parts.at(2));
  ASSERT_EQ(workloads.lanes.size(), 5U);
  EXPECT_EQ(workloads.lanes[1].spans.at(0).group, "Job");
  ASSERT_EQ(workloads.lanes[2].spans.size(), 2U);
  EXPECT_EQ(workloads.lanes[2].spans[0].group, "waiting");
  EXPECT_EQ(workloads.lanes[2].spans[1].group, "failed");
  EXPECT_EQ(workloads.lanes[2].spans[1].from, 5400);
  const auto& nodes = std::get<page::Gantt>(page.parts.at(3));
  ASSERT_EQ(nodes.lanes.size(), 2U);
  EXPECT_EQ(nodes.lanes[0].spans.size(), 2U);
  EXPECT_EQ(nodes.lanes[1].spans.size(), 3U);
  const auto& use = std::get<page::LineChart>(page.parts.at(4));
  ASSERT_EQ(use.curves.size(), 3U);  // not of what no node has
  EXPECT_EQ(use.curves[2].points.at(1).y, 0.75);
  EXPECT_EQ(page::html(page), page::html(timeline_page(testing::example_timeline())));
}

TEST(TimelinePage, OfManyWorkloadsShowsCurvesFirst) {
  testing::TimelineBuilder builder(10);
  for (int i = 0; i < 41; ++i) builder.workload("Job", "j", timeline::Ending::kCompleted).pod("a", 0, 5);
  const page::Page page = timeline_page(builder.timeline());
  EXPECT_TRUE(std::holds_alternative<page::LineChart>(page.parts.at(1)));
  EXPECT_TRUE(std::holds_alternative<page::Gantt>(page.parts.at(3)));
}

}  // namespace
}  // namespace loadline::report

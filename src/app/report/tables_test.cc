#include "app/report/tables.h"

#include <gtest/gtest.h>

#include "app/report/testing/plan_builder.h"

namespace loadline::report {
namespace {

TEST(Csv, QuotesOnlyWhatNeedsIt) {
  Table table;
  table.columns = {{"a"}, {"b"}};
  table.rows = {{"plain", "with, comma"}, {"a \"quote\"", "two\nlines"}};
  EXPECT_EQ(to_csv(table), "a,b\nplain,\"with, comma\"\n\"a \"\"quote\"\"\",\"two\nlines\"\n");
}

TEST(PodsCsv, HasAColumnForEachRequestedResource) {
  const Table table = pods_csv(testing::example_plan());
  std::vector<std::string> headers;
  for (const Column& column : table.columns) headers.push_back(column.header);
  EXPECT_EQ(headers, (std::vector<std::string>{"namespace", "name", "workload_kind", "workload", "outcome", "node",
                                               "nominated_node", "priority", "scheduler", "cpu", "memory",
                                               "nvidia.com/gpu", "preempted_by", "after_seconds", "message"}));
  EXPECT_EQ(table.rows[3], (std::vector<std::string>{"ml", "cache-0", "StatefulSet", "cache", "Running", "gpu-2", "",
                                                     "0", "default-scheduler", "1500m", "2560Mi", "1", "", "0", ""}));
}

TEST(NodesCsv, GivesCanonicalQuantities) {
  const Table table = nodes_csv(testing::example_plan());
  EXPECT_EQ(table.rows[2],
            (std::vector<std::string>{"gpu-2", "true", "", "1", "110", "32", "1500m", "256Gi", "2560Mi", "4", "1"}));
  EXPECT_EQ(table.rows[0].back(), "");  // no GPUs there
}

TEST(NodesTable, SaysWhichPodHoldsWhichGpu) {
  const Table table = nodes_table(testing::example_plan());
  EXPECT_EQ(table.rows[1][5], "0-1 ml/train-0, 2-3 free");
  EXPECT_EQ(table.rows[2][1], "cordoned");
}

TEST(PodsTable, ShowsWhereRoomIsBeingMade) {
  testing::PlanBuilder builder;
  builder.pod("Pod", "p", "p", simulator::PodOutcome::kPending, "", {{"cpu", "500m"}, {"memory", "1Gi"}});
  builder.last_pod().nominated_node = "a";
  const Table table = pods_table(builder.plan());
  EXPECT_EQ(table.rows[0][3], "(a)");
  EXPECT_EQ(table.rows[0][5], "0.5 cpu, 1Gi");
}

TEST(Tables, SayHowLongAPlacedPodWaited) {
  const Table table = pods_table(testing::example_plan());
  EXPECT_EQ(table.rows[4].back(), "after 30s");
  EXPECT_EQ(table.rows[0].back(), "-");
}

}  // namespace
}  // namespace loadline::report

#include "app/cli/plan_output.h"

#include <gtest/gtest.h>

#include <sstream>

#include "app/report/testing/plan_builder.h"

namespace loadline::cli {
namespace {

std::string written(const simulator::Plan& plan, const OutputOptions& options, const Terminal& terminal) {
  std::ostringstream out;
  std::ostringstream err;
  std::istringstream in;
  Console console{in, out, err, terminal, terminal};
  write_plan(plan, options, console);
  EXPECT_EQ(err.str(), "");
  return out.str();
}

constexpr Terminal kTerminal{.interactive = true, .width = 100};

TEST(PlanOutput, SaysFirstWhatIsPendingAndWhy) {
  EXPECT_EQ(written(report::testing::example_plan(), {}, kTerminal),
            R"(✗ 2 pending, 2 rejected, 1 lost; 4 of 10 pods have a node

PENDING
  Job ml/train  2 of 3 pods  priority 1000
      0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient nvidia.com/gpu.
      preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2
      Preemption is not helpful for scheduling.

REJECTED at admission
  Deployment ml/etl  2 of 2 pods  priority 0
      pods "etl-9f8b-ccccc" is forbidden: exceeded quota: compute, requested: cpu=8, used: cpu=14,
      limited: cpu=16

PREEMPTED
  Pod ml/notebook  left gpu-1, and no controller brings it back
      for Job ml/train (priority 1000 over 0)

GATED
  Pod ml/later  priority 0
      Scheduling is blocked due to non-empty scheduling gates

WORKLOADS
     WORKLOAD              PODS  STATE                          WHERE
  ✓  Deployment ml/web      2/2  placed                         cpu-1 ×2
  ✗  Pod ml/notebook        0/1  preempted
  ✓  StatefulSet ml/cache   1/1  running                        gpu-2
  ✗  Job ml/train           1/3  1 placed after 30s, 2 pending  gpu-1
  ✗  Deployment ml/etl      0/2  rejected
  ~  Pod ml/later           0/1  gated

NODES
  NODE   CPU            MEMORY          PODS  GPUS
  cpu-1  ▇▇▁▁▁▁▁▁  25%  ▁▁▁▁▁▁▁▁  12%  2/110
  gpu-1  ▇▇▁▁▁▁▁▁  25%  ▁▁▁▁▁▁▁▁   0%  1/110  [■■□□] 2/4  nvidia.com/gpu=present:NoSchedule
  gpu-2  ▁▁▁▁▁▁▁▁   4%  ▁▁▁▁▁▁▁▁  <1%  1/110  [■□□□] 1/4  cordoned

SUMMARY
  3 placed, 1 already running, 2 pending, 2 rejected, 1 preempted, 1 gated
  cpu             ▇▇▇▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁  16%    13.5  of     80
  memory          ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁   1%  10.5Gi  of  576Gi
  nvidia.com/gpu  ▇▇▇▇▇▇▇▁▁▁▁▁▁▁▁▁▁▁▁▁  37%       3  of      8
  pods            ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁   1%       4  of    330
  nvidia.com/gpu: 5 free, at most 3 on one node; none of them usable by what is pending (2 pods for
  8 GPUs)
      3 on gpu-2: cordoned
      2 on gpu-1: fewer than the smallest pending request, 4
)");
}

TEST(PlanOutput, IsPureAsciiWhereTheLocaleIs) {
  Terminal terminal = kTerminal;
  terminal.letters = Letters::kAscii;
  for (const OutputFormat format : {OutputFormat::kTable, OutputFormat::kWide}) {
    for (const char letter : written(report::testing::example_plan(), {.format = format}, terminal)) {
      ASSERT_LT(static_cast<unsigned char>(letter), 0x80);
    }
  }
}

TEST(PlanOutput, FitsTheWidthOfTheTerminal) {
  for (const std::size_t width : {80U, 100U, 160U}) {
    std::istringstream lines(written(report::testing::example_plan(), {}, {.interactive = true, .width = width}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(Line(line).width(), width) << line;
  }
}

TEST(PlanOutput, ColoursNothingUnlessAsked) {
  Terminal terminal = kTerminal;
  EXPECT_EQ(written(report::testing::example_plan(), {}, terminal).find('\x1b'), std::string::npos);
  terminal.colour = Colour::kOn;
  EXPECT_NE(written(report::testing::example_plan(), {}, terminal).find("\x1b[31mPENDING\x1b[0m"), std::string::npos);
}

TEST(PlanOutput, OfManyNodesShowsMachineTypes) {
  report::testing::PlanBuilder builder;
  for (int i = 0; i < 60; ++i) builder.node("node-" + std::to_string(i), {{"cpu", "8"}, {"memory", "32Gi"}});
  builder.pod("Pod", "p", "p", simulator::PodOutcome::kPlaced, "node-3", {{"cpu", "8"}});
  const std::string text = written(builder.plan(), {}, kTerminal);
  EXPECT_NE(text.find("8 cpu, 32Gi ×60"), std::string::npos) << text;
  EXPECT_EQ(text.find("node-7"), std::string::npos);
  EXPECT_NE(written(builder.plan(), {.subject = cli::Listing::kNodes}, kTerminal).find("node-7"), std::string::npos);
}

TEST(PlanOutput, OfManyBarePodsShowsARowANamespaceAndOutcome) {
  report::testing::PlanBuilder builder;
  builder.node("a", {{"cpu", "8"}});
  for (int i = 0; i < 100; ++i) {
    const std::string name = "pod-" + std::to_string(i);
    builder.pod("Pod", name, name, simulator::PodOutcome::kPlaced, "a", {});
  }
  builder.pod("Pod", "stuck", "stuck", simulator::PodOutcome::kPending, "", {});
  const std::string text = written(builder.plan(), {}, kTerminal);
  EXPECT_NE(text.find("Pod ml/stuck"), std::string::npos);
  EXPECT_NE(text.find("✓  Pod ml/* ×100  100/100  placed   a ×100\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("pod-7"), std::string::npos);
  EXPECT_NE(written(builder.plan(), {.format = OutputFormat::kWide}, kTerminal).find("pod-7"), std::string::npos);
}

TEST(PlanOutput, OfManyWorkloadsShowsTroubleAndCountsTheRest) {
  report::testing::PlanBuilder builder;
  builder.node("a", {{"cpu", "8"}});
  for (int i = 0; i < 100; ++i) {
    const std::string name = "job-" + std::to_string(i);
    builder.pod("Job", name, name, simulator::PodOutcome::kPlaced, "a", {});
  }
  builder.pod("Pod", "stuck", "stuck", simulator::PodOutcome::kPending, "", {});
  const std::string text = written(builder.plan(), {}, kTerminal);
  EXPECT_NE(text.find("Pod ml/stuck"), std::string::npos);
  EXPECT_NE(text.find("… and 61 more workloads, 61 of them complete"), std::string::npos) << text;
}

TEST(PlanOutput, ShowsWhatElseAdmissionRefused) {
  report::testing::PlanBuilder builder;
  builder.node("a", {{"cpu", "8"}});
  for (int i = 0; i < 14; ++i) {
    builder.plan().refused.push_back({{"PersistentVolumeClaim", "ml", "data-" + std::to_string(i)}, "too large"});
  }
  const std::string text = written(builder.plan(), {}, kTerminal);
  EXPECT_TRUE(
      text.starts_with("✗ 14 objects rejected\n\nREJECTED at admission\n  PersistentVolumeClaim ml/data-0\n"
                       "      too large\n"))
      << text;
  EXPECT_NE(text.find("… and 2 more objects"), std::string::npos) << text;
  EXPECT_NE(text.find("SUMMARY\n  14 objects rejected\n"), std::string::npos) << text;
  EXPECT_NE(written(builder.plan(), {.format = OutputFormat::kWide}, kTerminal).find("data-13"), std::string::npos);
}

TEST(PlanOutput, OfNoPodsSaysSoWithoutEmptyHeadings) {
  report::testing::PlanBuilder builder;
  builder.node("a", {{"cpu", "8"}});
  builder.plan().idle = {{"DaemonSet", "ml", "agent"}};
  const std::string text = written(builder.plan(), {}, kTerminal);
  EXPECT_TRUE(text.starts_with("✓ no pods to place: 1 node\n")) << text;
  EXPECT_NE(text.find("✓  DaemonSet ml/agent   0/0  wants no pods\n"), std::string::npos) << text;
  EXPECT_NE(text.find("SUMMARY\n  no pods\n"), std::string::npos) << text;
  EXPECT_EQ(written(builder.plan(), {.scope = {"elsewhere"}}, kTerminal).find("WORKLOADS"), std::string::npos);
  const std::string wide = written(builder.plan(), {.format = OutputFormat::kWide}, kTerminal);
  EXPECT_EQ(wide.find("NAMESPACE"), std::string::npos) << wide;
  EXPECT_NE(wide.find("\nWITHOUT PODS\n  DaemonSet ml/agent\n\n"), std::string::npos) << wide;
}

TEST(PlanOutput, OfNothingButGatedPodsClaimsNoNodeForThem) {
  report::testing::PlanBuilder builder;
  builder.node("a", {{"cpu", "8"}});
  builder.pod("Pod", "p", "p", simulator::PodOutcome::kGated, "", {});
  EXPECT_TRUE(written(builder.plan(), {}, kTerminal)
                  .starts_with("✓ no pods to place: 1 node; 1 held back by scheduling gates\n"));
}

TEST(PlanOutput, SaysOnceThatANodeIsCordoned) {
  report::testing::PlanBuilder builder;
  builder.node("a", {{"cpu", "8"}});
  builder.last_node().unschedulable = true;
  builder.last_node().taints = {"node.kubernetes.io/unschedulable:NoSchedule", "team=ml:NoSchedule"};
  const std::string text = written(builder.plan(), {}, {.interactive = true, .width = 160});
  EXPECT_NE(text.find("cordoned team=ml:NoSchedule\n"), std::string::npos) << text;
}

TEST(PlanOutput, OfOnePodSpeaksInTheSingular) {
  report::testing::PlanBuilder builder;
  builder.pod("Pod", "p", "p", simulator::PodOutcome::kPending, "", {});
  EXPECT_TRUE(written(builder.plan(), {}, kTerminal).starts_with("✗ 1 pending; 0 of 1 pod has a node\n"));
}

TEST(PlanOutput, NamesWorkloadsThatShareAReasonAboveIt) {
  report::testing::PlanBuilder builder;
  for (int i = 0; i < 9; ++i) {
    const std::string name = "pod-" + std::to_string(i);
    builder.pod("Pod", name, name, simulator::PodOutcome::kPending, "", {});
    builder.last_pod().message = "0/1 nodes are available: 1 Insufficient cpu.";
  }
  const std::string text = written(builder.plan(), {}, kTerminal);
  const std::size_t first = text.find("Insufficient cpu");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("Insufficient cpu", first + 1), std::string::npos);
  EXPECT_NE(text.find("… and 4 more pods\n"), std::string::npos) << text;
}

TEST(PlanOutput, OfManyReasonsMergesThoseThatDifferInNumbersOfNodes) {
  report::testing::PlanBuilder builder;
  for (std::size_t i = 0; i < 30; ++i) {
    const std::string name = "pod-" + std::to_string(i);
    builder.pod("Pod", name, name, simulator::PodOutcome::kPending, "", {});
    builder.last_pod().reasons = {{i, "NodeResourcesFit", i < 28 ? "Insufficient cpu" : "Insufficient memory"}};
    builder.last_pod().message = std::to_string(i) + builder.last_pod().reasons[0].text;
  }
  const std::string text = written(builder.plan(), {}, kTerminal);
  EXPECT_NE(text.find("… and 23 more pods\n      0Insufficient cpu\n      (so the first"), std::string::npos) << text;
  EXPECT_NE(text.find("28Insufficient memory"), std::string::npos);
  EXPECT_EQ(text.find("17Insufficient cpu"), std::string::npos);
  EXPECT_NE(written(builder.plan(), {.format = OutputFormat::kWide}, kTerminal).find("17Insufficient"),
            std::string::npos);
}

TEST(PlanOutput, PutsTheHighestPriorityFirst) {
  report::testing::PlanBuilder builder;
  builder.pod("Pod", "low", "low", simulator::PodOutcome::kPending, "", {});
  builder.last_pod().message = "low reason";
  builder.pod("Pod", "high", "high", simulator::PodOutcome::kPending, "", {});
  builder.last_pod().message = "high reason";
  builder.last_pod().priority = 5;
  const std::string text = written(builder.plan(), {}, kTerminal);
  EXPECT_LT(text.find("high reason"), text.find("low reason"));
}

TEST(PlanOutput, OfAWholePlanIsGood) {
  report::testing::PlanBuilder builder;
  builder.node("a", {{"cpu", "8"}});
  builder.pod("Pod", "p", "p", simulator::PodOutcome::kPlaced, "a", {{"cpu", "1"}});
  EXPECT_TRUE(written(builder.plan(), {}, kTerminal).starts_with("✓ every pod has a node: 1 pod, 1 node\n"));
}

}  // namespace
}  // namespace loadline::cli

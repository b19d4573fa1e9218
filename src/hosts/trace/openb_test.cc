#include "hosts/trace/openb.h"

#include <gtest/gtest.h>

#include "hosts/trace/testing/works.h"

namespace loadline::trace {
namespace {

constexpr std::string_view kPodHeader =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n";
constexpr std::string_view kNodeHeaderLine = "sn,cpu_milli,memory_mib,gpu,model\n";

std::string pods(std::string_view rows) { return std::string(kPodHeader).append(rows); }
std::string nodes_text(std::string_view rows) { return std::string(kNodeHeaderLine).append(rows); }

TEST(Openb, APodIsThereFromItsCreationToItsDeletion) {
  const WorksRead read =
      read_all(pods("b,12000,16384,1,460,P100|T4,BE,Pending,9,20,\na,500,1024,0,0,,LS,Running,3,,3\n"));
  ASSERT_EQ(read.error, "");
  ASSERT_EQ(read.works.size(), 2u);
  const Work& first = read.works[0];
  EXPECT_EQ(first.name, "a") << "works come in order of time, whatever the order of the file";
  EXPECT_EQ(first.arrives, Duration::seconds(3));
  EXPECT_FALSE(first.deleted);
  EXPECT_EQ(first.tenant, "default");
  EXPECT_EQ(request(first, "cpu"), "500m");
  EXPECT_EQ(request(first, "nvidia.com/gpu"), "");
  const Work& second = read.works[1];
  EXPECT_EQ(second.deleted, Duration::seconds(20));
  EXPECT_FALSE(second.run_time);
  EXPECT_EQ(second.work_class, "BE");
  EXPECT_EQ(request(second, "memory"), "16Gi");
  EXPECT_EQ(request(second, "nvidia.com/gpu"), "1") << "a share takes a whole GPU";
  const auto& term = spec_of(second).affinity->node->required->terms.front().match_expressions.front();
  EXPECT_EQ(term.key, "gpu-model");
  EXPECT_EQ(term.values, (std::vector<std::string>{"P100", "T4"}));
}

TEST(Openb, SharesMayBeTakenOutOfThePoolOfANode) {
  OpenWorkOptions options;
  options.openb.shares = GpuShares::kPooled;
  const WorksRead read = read_all(pods("a,1,1,1,460,,,,0,,\nb,1,1,8,1000,,,,0,,\n"), options);
  EXPECT_EQ(request(read.works[0], "loadline.dev/gpu-milli"), "460");
  EXPECT_EQ(request(read.works[1], "loadline.dev/gpu-milli"), "8k");
  EXPECT_EQ(request(read.works[1], "nvidia.com/gpu"), "");

  const auto lines = lines_of(nodes_text("n,64000,262144,2,P100\n"));
  const auto nodes = read_openb_nodes(*lines, GpuShares::kPooled);
  EXPECT_EQ(nodes->front().allocatable.at("loadline.dev/gpu-milli").value(), 2000);
  EXPECT_FALSE(nodes->front().allocatable.contains("nvidia.com/gpu"));
}

TEST(Openb, ListsWithoutTimesHaveAllPodsAtOnce) {
  const WorksRead read = read_all("name,cpu_milli,memory_mib,num_gpu,gpu_milli\nb,1,1,1,1000\na,1,1,1,1000\n");
  ASSERT_EQ(read.works.size(), 2u);
  EXPECT_EQ(read.works[0].name, "b");
  EXPECT_EQ(read.works[1].arrives, Duration{});
  EXPECT_EQ(read.works[0].pods.front().pod, read.works[1].pods.front().pod);

  OpenWorkOptions options;
  options.openb.times = OpenbTimes::kNone;
  const WorksRead untimed = read_all(pods("b,1,1,0,0,,,,9,10,\na,1,1,0,0,,,,3,4,\n"), options);
  EXPECT_EQ(untimed.works[0].name, "b");
  EXPECT_FALSE(untimed.works[0].deleted);
}

TEST(Openb, NodesKeepTheirModelAsALabel) {
  const auto lines = lines_of(nodes_text("n,64000,262144,2,P100\ncpu-only,32000,262144,0,\n"));
  const auto nodes = read_openb_nodes(*lines);
  ASSERT_TRUE(nodes) << nodes.error().message;
  const kube::Node& node = nodes->front();
  EXPECT_EQ(node.metadata.labels.at("gpu-model"), "P100");
  EXPECT_EQ(node.metadata.labels.at("kubernetes.io/hostname"), "n");
  EXPECT_EQ(node.allocatable.at("cpu").to_string(), "64");
  EXPECT_EQ(node.allocatable.at("memory").to_string(), "256Gi");
  EXPECT_EQ(node.allocatable.at("pods").value(), 110);
  EXPECT_EQ(node.allocatable.at("nvidia.com/gpu").value(), 2);
  EXPECT_FALSE(nodes->back().metadata.labels.contains("gpu-model"));
}

TEST(Openb, WhatIsWrongIsSaidWithItsPlace) {
  const std::string kShort = "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n";
  EXPECT_EQ(read_all("name,cpu_milli,memory_mib,num_gpu\n").error,
            "trace:1: there is no column gpu_milli (openb's header is name,cpu_milli,memory_mib,num_gpu,gpu_milli,"
            "gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time)");
  EXPECT_EQ(read_all("name,cpu_milli,memory_mb,num_gpu,gpu_milli\n").error,
            R"(trace:1:16: unknown column "memory_mb" (did you mean memory_mib?))");
  EXPECT_EQ(read_all(kShort + "a,x,1,1,1000\n").error, R"(trace:2:3: cpu_milli: "x" is not a whole number)");
  EXPECT_EQ(read_all(kShort + "a,1,99999999999,1,1000\n").error,
            "trace:2:5: memory_mib: 99999999999 is more than 1000000000");
  EXPECT_EQ(read_all(kShort + "a,1,1,1,1\na,1,1,1,1\n").error, R"(trace:3: name: "a" comes twice)");
  EXPECT_EQ(read_all(kShort + "a,1,1,1\n").error, "trace:2: has 4 fields, but the header names 5 columns");
  EXPECT_EQ(read_all(pods("a,1,1,1,1000,,,,9,8,\n")).error, "trace:2: deletion_time: is before creation_time");
}

}  // namespace
}  // namespace loadline::trace

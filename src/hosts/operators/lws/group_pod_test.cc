#include "hosts/operators/lws/group_pod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "hosts/operators/lws/tpu_variables.h"

namespace loadline::operators {
namespace {

using document::Value;

constexpr std::string_view kPrefix = "leaderworkerset.sigs.k8s.io/";

/// A pod of "llm"; labels and annotations are written without the operator's prefix.
Value pod_of(const std::string& name, const std::string& labels, const std::string& annotations,
             const std::string& container = "env: [{name: LWS_GROUP_SIZE, value: mine}, {name: A, value: b}]") {
  std::string text = "{metadata: {name: " + name + ", labels: {~name: llm, " + labels + "}, annotations: {" +
                     annotations + "}}, spec: {subdomain: llm, containers: [{name: c, " + container + "}]}}";
  for (std::size_t at = text.find('~'); at != std::string::npos; at = text.find('~')) text.replace(at, 1, kPrefix);
  return document::read_yaml(text, "test").documents.at(0);
}

std::string label_of(const Value& pod, const std::string& name) {
  return std::string(document::text_at(pod, {"metadata", "labels", std::string(kPrefix) + name}));
}

/// "A=b C=d".
std::string variables_of(const Value& pod) {
  const Value container = document::value_at(pod, {"spec", "containers"}).array().at(0);
  std::string text;
  for (const Value& each : document::value_at(container, {"env"}).array()) {
    text += std::string(text.empty() ? "" : " ") + std::string(document::text_at(each, {"name"})) + "=" +
            std::string(document::text_at(each, {"value"}));
  }
  return text;
}

TEST(GroupPod, ALeaderLearnsItsGroup) {
  const auto pod = as_group_pod(pod_of("llm-2", "~worker-index: '0'", "~size: '3'"), "ns");
  ASSERT_TRUE(pod) << pod.error();
  EXPECT_EQ(label_of(*pod, "group-index"), "2");
  EXPECT_THAT(label_of(*pod, "group-key"), ::testing::SizeIs(40));
  EXPECT_EQ(variables_of(*pod), "LWS_LEADER_ADDRESS=llm-2.llm.ns LWS_GROUP_SIZE=3 LWS_WORKER_INDEX=0 A=b");
  EXPECT_EQ(document::find_at(*pod, {"spec", "affinity"}), nullptr);
}

TEST(GroupPod, AWorkerLearnsItsPlace) {
  const auto pod = as_group_pod(
      pod_of("llm-2-3", "~group-index: '2'", "~size: '5', ~leader-name: llm-2, ~subgroup-size: '2'"), "ns");
  ASSERT_TRUE(pod) << pod.error();
  EXPECT_EQ(label_of(*pod, "worker-index"), "3");
  EXPECT_EQ(label_of(*pod, "subgroup-index"), "1");
  EXPECT_EQ(variables_of(*pod), "LWS_LEADER_ADDRESS=llm-2.llm.ns LWS_GROUP_SIZE=5 LWS_WORKER_INDEX=3 A=b");
}

TEST(GroupPod, OtherPodsStayAsTheyAre) {
  const Value other = document::read_yaml("{metadata: {name: a}, spec: {}}", "test").documents.at(0);
  EXPECT_EQ(as_group_pod(other, "ns"), other);
}

TEST(GroupPod, ALeaderMayHaveAServiceOfItsGroup) {
  const auto pod =
      as_group_pod(pod_of("llm-2", "~worker-index: '0'", "~size: '3', ~subdomainPolicy: UniquePerReplica"), "ns");
  ASSERT_TRUE(pod) << pod.error();
  EXPECT_EQ(document::text_at(*pod, {"spec", "subdomain"}), "llm-2");
}

TEST(GroupPod, AnExclusiveTopologyIsAskedForOnce) {
  const auto count = [](const Value& pod) {
    return document::value_at(pod,
                              {"spec", "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"})
        .array()
        .size();
  };
  const std::string both = "~size: '4', ~exclusive-topology: rack, ~subgroup-size: '2', ~subgroup-exclusive-topology: ";
  const auto pod = as_group_pod(pod_of("llm-2", "~worker-index: '0'", both + "rack"), "ns");
  ASSERT_TRUE(pod) << pod.error();
  EXPECT_EQ(count(*pod), 1U) << "the terms about a group's rack are taken for those about a sub-group's";
  EXPECT_EQ(count(*as_group_pod(pod_of("llm-2", "~worker-index: '0'", both + "block"), "ns")), 2U);
  EXPECT_EQ(count(*as_group_pod(*pod, "ns")), 1U) << "a pod that has them gets no more";
}

TEST(GroupPod, IsRefusedInTheOperatorsWords) {
  EXPECT_EQ(as_group_pod(pod_of("llm-2", "~worker-index: '0'", ""), "ns").error(),
            "size annotation is unexpectedly missing for pod llm-2");
  EXPECT_EQ(as_group_pod(pod_of("llm", "~worker-index: '0'", "~size: '2'"), "ns").error(),
            "parsing pod ordinal for pod llm");
  EXPECT_EQ(as_group_pod(pod_of("llm-2", "~worker-index: '0'", "~size: two"), "ns").error(),
            "strconv.Atoi: parsing \"two\": invalid syntax");
}

constexpr const char* kTpu = "resources: {limits: {google.com/tpu: 4}}";

TEST(GroupPod, ProcessesOnTpusFindEachOther) {
  const auto leader = as_group_pod(pod_of("llm-0", "~worker-index: '0'", "~size: '3'", kTpu), "ns");
  ASSERT_TRUE(leader) << leader.error();
  EXPECT_EQ(variables_of(*leader),
            "LWS_LEADER_ADDRESS=llm-0.llm.ns LWS_GROUP_SIZE=3 LWS_WORKER_INDEX=0 "
            "TPU_WORKER_HOSTNAMES=llm-0.llm,llm-0-1.llm,llm-0-2.llm TPU_WORKER_ID=0 TPU_NAME=llm-0 "
            "TPU_PROCESS_ADDRESSES=llm-0.llm:8476,llm-0-1.llm:8476,llm-0-2.llm:8476 TPU_PROCESS_PORT=8476");
  const auto worker = as_group_pod(pod_of("llm-0-2", "~group-index: '0'", "~size: '3'",
                                          std::string(kTpu) + ", env: [{name: TPU_PROCESS_PORT, value: '9'}]"),
                                   "ns");
  ASSERT_TRUE(worker) << worker.error();
  EXPECT_EQ(variables_of(*worker),
            "LWS_LEADER_ADDRESS=llm-0.llm.ns LWS_GROUP_SIZE=3 LWS_WORKER_INDEX=2 TPU_PROCESS_PORT=9 "
            "TPU_WORKER_HOSTNAMES=llm-0-1.llm,llm-0-2.llm TPU_WORKER_ID=1 TPU_NAME=llm-0 "
            "TPU_PROCESS_ADDRESSES=llm-0-1.llm:9,llm-0-2.llm:9")
      << "a leader without TPUs is none of them";
}

TEST(GroupPod, ProcessesOnTpusOfASubGroupFindEachOther) {
  const auto variables = [](const std::string& name, const std::string& labels, const std::string& annotations) {
    const auto pod = as_group_pod(pod_of(name, labels, "~size: '4', ~subgroup-size: '2'" + annotations, kTpu), "ns");
    const std::string all = pod ? variables_of(*pod) : pod.error();
    const std::size_t at = all.find("TPU_WORKER_HOSTNAMES=");
    return at == std::string::npos ? all : all.substr(at, all.find(" TPU_NAME") - at);
  };
  EXPECT_EQ(variables("llm-0", "~worker-index: '0'", ""), "TPU_WORKER_HOSTNAMES=llm-0.llm,llm-0-1.llm TPU_WORKER_ID=-1")
      << "the operator's own number for a leader";
  const std::string counted = ", ~leader-name: llm-0, ~leader-requests-tpus: 'true'";
  EXPECT_EQ(variables("llm-0-1", "~group-index: '0'", counted),
            "TPU_WORKER_HOSTNAMES=llm-0.llm,llm-0-1.llm TPU_WORKER_ID=1");
  EXPECT_EQ(variables("llm-0-3", "~group-index: '0'", counted),
            "TPU_WORKER_HOSTNAMES=llm-0-2.llm,llm-0-3.llm TPU_WORKER_ID=1");
  EXPECT_EQ(variables("llm-0", "~worker-index: '0'", ", ~subgroup-policy-type: LeaderExcluded"),
            "strconv.Atoi: parsing \"\": invalid syntax")
      << "as the operator refuses it";
}

TEST(TpuVariables, AreNotMadeForMoreHostsThanAnObjectHolds) {
  const Value pod = document::read_yaml(
                        "{metadata: {name: llm-0, labels: {leaderworkerset.sigs.k8s.io/worker-index: '0'}}, spec: "
                        "{subdomain: llm, containers: [{name: c, resources: {limits: {google.com/tpu: 4}}}]}}",
                        "test")
                        .documents.at(0);
  EXPECT_TRUE(with_tpu_variables(pod, 1000));
  const auto refused = with_tpu_variables(pod, 2147483647);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), "the list of 2147483647 hosts would be larger than an object may be (1048576 bytes)");
}

}  // namespace
}  // namespace loadline::operators

#include "hosts/operators/lws/leader_worker_set_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace loadline::operators {
namespace {

using document::Value;

/// As the definition of the kind completes it: a size and replicas are there.
Value lws_of(const std::string& group, const std::string& spec = "", const std::string& metadata = "name: llm") {
  return document::read_yaml("{metadata: {" + metadata + "}, spec: {replicas: 2, leaderWorkerTemplate: {" + group +
                                 " workerTemplate: {spec: {containers: [{name: c, resources: {limits: {cpu: "
                                 "0.5}}}]}}}, startupPolicy: LeaderCreated" +
                                 spec + "}}",
                             "test")
      .documents.at(0);
}

std::string refusal_of(const std::string& group, const std::string& spec = "",
                       const std::string& metadata = "name: llm") {
  const Value set = with_leader_worker_set_defaults(lws_of(group, spec, metadata));
  return leader_worker_set_refusal(faults_of_leader_worker_set(set, nullptr)).value_or("");
}

std::string change_refusal(const std::string& before, const std::string& after) {
  const Value old = with_leader_worker_set_defaults(lws_of(before));
  const Value now = with_leader_worker_set_defaults(lws_of(after));
  return leader_worker_set_refusal(faults_of_leader_worker_set(now, &old)).value_or("");
}

TEST(LeaderWorkerSetRules, FillInWhatTheAuthorLeftOut) {
  const Value set = with_leader_worker_set_defaults(lws_of("size: 2,"));
  EXPECT_EQ(document::text_at(set, {"spec", "leaderWorkerTemplate", "restartPolicy"}), "RecreateGroupOnPodRestart");
  EXPECT_EQ(document::write_json(document::value_at(set, {"spec", "rolloutStrategy"})),
            R"({"type":"RollingUpdate","rollingUpdateConfiguration":{"partition":0,"maxUnavailable":1,"maxSurge":0}})");
  EXPECT_EQ(document::text_at(set, {"spec", "networkConfig", "subdomainPolicy"}), "Shared");
  const Value containers =
      document::value_at(set, {"spec", "leaderWorkerTemplate", "workerTemplate", "spec", "containers"});
  EXPECT_EQ(document::text_at(containers.array().at(0), {"resources", "limits", "cpu"}), "500m");
  EXPECT_EQ(with_leader_worker_set_defaults(set), set);
}

TEST(LeaderWorkerSetRules, LeaveASetAloneThatLacksNothing) {
  const Value set = lws_of("size: 2, restartPolicy: None,",
                           ", rolloutStrategy: {type: RollingUpdate, rollingUpdateConfiguration: {maxSurge: 1}}, "
                           "networkConfig: {subdomainPolicy: Shared}");
  EXPECT_EQ(with_leader_worker_set_defaults(set), set) << "not even its quantities are written anew";
}

TEST(LeaderWorkerSetRules, KnowTheOldNameOfNone) {
  const Value set = with_leader_worker_set_defaults(lws_of("restartPolicy: Default,"));
  EXPECT_EQ(document::text_at(set, {"spec", "leaderWorkerTemplate", "restartPolicy"}), "None");
}

TEST(LeaderWorkerSetRules, RefuseInTheOperatorsWords) {
  EXPECT_EQ(refusal_of("size: 3,"), "");
  EXPECT_EQ(refusal_of("size: 0,"),
            "spec.leaderWorkerTemplate.size: Invalid value: 0: size must be equal or greater than 1");
  const std::string part = "spec.leaderWorkerTemplate.SubGroupPolicy.subGroupSize: Invalid value: ";
  EXPECT_EQ(refusal_of("size: 5, subGroupPolicy: {subGroupSize: 3},"),
            part + "3: size or size - 1 must be divisible by subGroupSize");
  EXPECT_EQ(refusal_of("size: 2, subGroupPolicy: {subGroupSize: 3},"),
            "[" + part + "3: size or size - 1 must be divisible by subGroupSize, " + part +
                "3: subGroupSize cannot be larger than size]");
  EXPECT_EQ(refusal_of("size: 4, subGroupPolicy: {subGroupSize: 2, subGroupPolicyType: LeaderExcluded},"),
            part + "2: size-1 must be divisible by subGroupSize when using LeaderExcluded");
  EXPECT_EQ(refusal_of("size: 4, subGroupPolicy: {subGroupSize: 0},"),
            part + "0: subGroupSize must be equal or greater than 1");
  EXPECT_EQ(refusal_of("", ", rolloutStrategy: {rollingUpdateConfiguration: {maxUnavailable: 0, maxSurge: 0}}"),
            "spec.rolloutStrategy.rollingUpdateConfiguration.maxUnavailable: Invalid value: 0: must not be 0 when "
            "`maxSurge` is 0");
  EXPECT_EQ(refusal_of("", ", rolloutStrategy: {rollingUpdateConfiguration: {maxUnavailable: 101%, maxSurge: 0}}"),
            "spec.rolloutStrategy.rollingUpdateConfiguration.maxUnavailable: Invalid value: \"101%\": must not be "
            "greater than 100%");
  EXPECT_EQ(
      refusal_of("", "", "name: llm, annotations: {leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology: rack}"),
      "metadata.annotations.leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology: Invalid value: \"rack\": "
      "cannot have subgroup-exclusive-topology without subGroupSize set");
  EXPECT_THAT(refusal_of("", "", "name: 1llm"),
              ::testing::StartsWith("metadata.name: Invalid value: \"1llm\": a DNS-1035 label must consist of"));
}

TEST(LeaderWorkerSetRules, SubGroupsStayAsTheyAre) {
  const std::string part = "spec.leaderWorkerTemplate.SubGroupPolicy.subGroupSize: Invalid value: ";
  const std::string with = "size: 4, subGroupPolicy: {subGroupSize: 2},";
  EXPECT_EQ(change_refusal(with, with), "");
  EXPECT_EQ(change_refusal(with, "size: 4, subGroupPolicy: {subGroupSize: 4},"), part + "4: field is immutable");
  EXPECT_EQ(change_refusal("size: 4,", with), part + "2: cannot enable subGroupSize after the lws is already created");
  EXPECT_EQ(change_refusal(with, "size: 4,"), part + "2: cannot remove subGroupSize after enabled");
}

}  // namespace
}  // namespace loadline::operators

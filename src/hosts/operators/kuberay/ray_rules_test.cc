#include "hosts/operators/kuberay/ray_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "hosts/watching/object.h"
#include "hosts/watching/observe.h"

namespace loadline::operators {
namespace {

using document::Value;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kPods = "template: {spec: {containers: [{name: ray, image: ray}]}}";

Value cluster_with(const std::string& head, const std::string& group, const std::string& spec = "") {
  return document::read_yaml("{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: llm, namespace: default}, " +
                                 ("spec: {" + spec) + "headGroupSpec: {" + head + kPods +
                                 "}, workerGroupSpecs: [{groupName: gpu, minReplicas: 0, maxReplicas: 4, " + group +
                                 kPods + "}]}}",
                             "test")
      .documents.front();
}

std::string problem_of(const Value& document) {
  const auto object = watching::observe<kube::RayCluster>(document, nullptr);
  return ray_cluster_spec_problem(object->view, document);
}

TEST(RayRules, ASpecThatIsRightHasNoProblem) { EXPECT_THAT(problem_of(cluster_with("", "replicas: 1, ")), IsEmpty()); }

TEST(RayRules, SayWhatIsWrongInTheOperatorsWords) {
  struct Row {
    std::string head, group, spec, problem;
  };
  const Row rows[] = {
      {"rayStartParams: {num-cpus: '1'}, resources: {CPU: '1'}, ", "", "",
       "resource fields should not be set in both rayStartParams and Resources for Head group; please use only one"},
      {"rayStartParams: {labels: a=b}, ", "", "",
       "rayStartParams['labels'] is not supported for Head group; please use the top-level Labels field instead"},
      {"", "suspend: true, ", "enableInTreeAutoscaling: true, ",
       "worker group gpu cannot be suspended with Autoscaler enabled"},
      {"rayStartParams: {redis-username: me}, ", "", "",
       "cannot set redis username in rayStartParams or environment variables - use "
       "GcsFaultToleranceOptions.RedisUsername instead"},
      {"", "", "autoscalerOptions: {idleTimeoutSeconds: -1}, ",
       "autoscalerOptions.idleTimeoutSeconds must be non-negative, got -1"},
  };
  for (const Row& row : rows) EXPECT_EQ(problem_of(cluster_with(row.head, row.group, row.spec)), row.problem);
}

TEST(RayRules, TheWebhookRefusesGroupsOfOneName) {
  EXPECT_THAT(ray_cluster_refusal(cluster_with("", "")), IsEmpty());
  const Value twice =
      document::read_yaml("{metadata: {name: 1llm}, spec: {workerGroupSpecs: [{groupName: a}, {groupName: a}]}}",
                          "test")
          .documents.front();
  EXPECT_THAT(ray_cluster_refusal(twice), HasSubstr("RayCluster name should be a valid DNS1035 label"));
  EXPECT_THAT(ray_cluster_refusal(twice),
              HasSubstr("spec.workerGroupSpecs[1]: Invalid value: {\"groupName\":\"a\"}: worker group names must be "
                        "unique"));
}

}  // namespace
}  // namespace loadline::operators

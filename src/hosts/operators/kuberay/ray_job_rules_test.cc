#include "hosts/operators/kuberay/ray_job_rules.h"

#include <gtest/gtest.h>

#include <string>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "objects/kube/ray/ray_schema.h"
#include "objects/kube/view.h"

namespace loadline::operators {
namespace {

constexpr std::string_view kCluster =
    "rayClusterSpec: {headGroupSpec: {rayStartParams: {}, template: {spec: {containers: [{name: a, image: b}]}}}}";

/// What is wrong with a job whose spec has a cluster, and this.
std::string problem_of_spec(const std::string& more, std::string_view cluster = kCluster) {
  const document::Value job =
      document::read_yaml(
          "{metadata: {name: j}, spec: {" + more + (cluster.empty() ? "" : ", ") + std::string(cluster) + "}}", "test")
          .documents.at(0);
  const kube::RayJob view = kube::view<kube::RayJob>(job, kube::kRayJobSchema).object;
  return ray_job_spec_problem(view.spec, document::value_at(job, {"spec"}), {});
}

TEST(RayJobRules, HaveNothingAgainstAJobOfEachMode) {
  for (const std::string mode : {"K8sJobMode", "HTTPMode", "InteractiveMode", "SidecarMode"}) {
    EXPECT_EQ(problem_of_spec("submissionMode: " + mode), "") << mode;
  }
  EXPECT_EQ(problem_of_spec("clusterSelector: {ray.io/cluster: llm}", ""), "");
}

TEST(RayJobRules, SayInKubeRaysWordsWhatIsWrong) {
  EXPECT_EQ(problem_of_spec("suspend: true"),
            "The RayJob spec is invalid: a RayJob with shutdownAfterJobFinishes set to false is not allowed to be "
            "suspended");
  EXPECT_EQ(problem_of_spec("entrypoint: a", ""),
            "The RayJob spec is invalid: one of RayClusterSpec or ClusterSelector must be set");
  EXPECT_EQ(problem_of_spec("submissionMode: InteractiveMode, backoffLimit: 1"),
            "The RayJob spec is invalid: BackoffLimit is incompatible with InteractiveMode");
  EXPECT_EQ(problem_of_spec("submissionMode: SidecarMode, submitterConfig: {}"),
            "Currently, SidecarMode doesn't support SubmitterConfig");
  EXPECT_EQ(problem_of_spec("runtimeEnvYAML: 'a: [b'"),
            "failed to unmarshal RuntimeEnvYAML: a: [b: error converting YAML to JSON: yaml: line 1: did not find "
            "expected ',' or ']'");
  EXPECT_EQ(problem_of_spec("activeDeadlineSeconds: 0"),
            "The RayJob spec is invalid: activeDeadlineSeconds must be a positive integer");
}

TEST(RayJobRules, TellAllThatIsWrongWithRulesOfDeletion) {
  EXPECT_EQ(problem_of_spec("deletionStrategy: {}"),
            "The RayJob spec is invalid: DeletionStrategy requires either BOTH onSuccess and onFailure, OR the "
            "deletionRules field (cannot be empty)");
  EXPECT_EQ(problem_of_spec("deletionStrategy: {deletionRules: [{policy: DeleteSelf, condition: {jobStatus: FAILED, "
                            "ttlSeconds: 5}}, {policy: DeleteCluster, condition: {jobStatus: FAILED, ttlSeconds: 10}}, "
                            "{policy: DeleteSelf, condition: {}}]}"),
            "deletionRules[2]: exactly one of JobStatus and JobDeploymentStatus must be set\n"
            "for JobStatus 'FAILED': DeleteSelf TTL (5) must be >= DeleteCluster TTL (10)");
  EXPECT_EQ(problem_of_spec("deletionStrategy: {onSuccess: {policy: DeleteCluster}}"),
            "both DeletionStrategy.OnSuccess and DeletionStrategy.OnFailure must be set when using the legacy deletion "
            "policy fields of DeletionStrategy");
}

TEST(RayJobRules, RefuseANameOfWhichNoClusterCouldBeMade) {
  const auto refusal = [](const std::string& name) {
    return ray_job_refusal(document::read_yaml("{metadata: {name: " + name + "}}", "test").documents.at(0));
  };
  EXPECT_EQ(refusal("train"), "");
  EXPECT_EQ(refusal(std::string(48, 'a')),
            "RayJob.ray.io \"" + std::string(48, 'a') + "\" is invalid: metadata.name: Invalid value: \"" +
                std::string(48, 'a') +
                "\": The RayJob metadata is invalid: RayJob name should be no more than 47 characters");
}

TEST(RayCronJobRules, AskForATimeAndAJob) {
  const auto problem = [](const std::string& schedule, const std::string& job) {
    const document::Value cron_job =
        document::read_yaml("{metadata: {name: c}, spec: {schedule: '" + schedule + "', jobTemplate: {" + job + "}}}",
                            "test")
            .documents.at(0);
    const kube::RayCronJob view = kube::view<kube::RayCronJob>(cron_job, kube::kRayCronJobSchema).object;
    return ray_cron_job_spec_problem(view.spec, document::value_at(cron_job, {"spec"}));
  };
  EXPECT_EQ(problem("@hourly", std::string(kCluster)), "");
  EXPECT_EQ(problem("* * *", std::string(kCluster)),
            "invalid cron schedule: expected exactly 5 fields, found 3: [* * *]");
  EXPECT_EQ(
      problem("@hourly", "entrypoint: a"),
      "invalid RayJob template: The RayJob spec is invalid: one of RayClusterSpec or ClusterSelector must be set");
}

}  // namespace
}  // namespace loadline::operators

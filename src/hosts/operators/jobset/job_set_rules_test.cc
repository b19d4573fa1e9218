#include "hosts/operators/jobset/job_set_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace loadline::operators {
namespace {

using document::Value;

Value set_of(const std::string& spec) {
  return document::read_yaml("{metadata: {name: js, namespace: default}, spec: {" + spec + "}}", "test")
      .documents.at(0);
}

std::string refusal_of(const std::string& spec, const std::optional<Value>& claim = std::nullopt) {
  const Value set = with_job_set_defaults(set_of(spec));
  const auto find = [&](const std::string&) { return claim; };
  return job_set_refusal(set, faults_of_job_set(set, find)).value_or("");
}

constexpr const char* kJob = "{name: a, replicas: 1, groupName: default, template: {spec: {completions: 1}}}";

TEST(JobSetRules, FillsInWhatTheAuthorLeftOut) {
  const Value set = with_job_set_defaults(
      set_of("failurePolicy: {rules: [{action: FailJobSet}]}, replicatedJobs: [{name: a, template: "
             "{spec: {template: {spec: {containers: [{name: c, resources: {limits: "
             "{cpu: 0.5}}}]}}}}}]"));
  EXPECT_EQ(document::text_at(set, {"spec", "successPolicy", "operator"}), "All");
  EXPECT_EQ(document::text_at(set, {"spec", "startupPolicy", "startupPolicyOrder"}), "AnyOrder");
  EXPECT_EQ(document::value_at(set, {"spec", "network", "enableDNSHostnames"}), Value(true));
  EXPECT_EQ(document::value_at(set, {"spec", "network", "publishNotReadyAddresses"}), Value(true));
  const Value job = document::value_at(set, {"spec", "replicatedJobs"}).array().at(0);
  EXPECT_EQ(document::text_at(job, {"template", "spec", "completionMode"}), "Indexed");
  EXPECT_EQ(document::text_at(job, {"template", "spec", "template", "spec", "restartPolicy"}), "OnFailure");
  const Value containers = document::value_at(job, {"template", "spec", "template", "spec", "containers"});
  EXPECT_EQ(document::text_at(containers.array().at(0), {"resources", "limits", "cpu"}), "500m");
  EXPECT_EQ(document::text_at(document::value_at(set, {"spec", "failurePolicy", "rules"}).array().at(0), {"name"}),
            "failurePolicyRule0");
  EXPECT_EQ(with_job_set_defaults(set), set) << "once is enough";
}

TEST(JobSetRules, RefusesInTheOperatorsWords) {
  const std::string begin = "JobSet.jobset.x-k8s.io \"js\" is invalid: ";
  EXPECT_EQ(refusal_of(std::string("replicatedJobs: [") + kJob + "]"), "");
  const std::pair<std::string, std::string> cases[] = {
      {"successPolicy: {operator: All, targetReplicatedJobs: [x]},",
       "<nil>: Internal error: invalid replicatedJob name 'x' does not appear in .spec.ReplicatedJobs"},
      {"network: {subdomain: 1a},",
       "spec.network.subdomain: Invalid value: \"1a\": a DNS-1035 label must consist of lower case alphanumeric "
       "characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name', "
       " or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"},
      {"coordinator: {replicatedJob: x},", "<nil>: Internal error: coordinator replicatedJob x does not exist"},
      {"coordinator: {replicatedJob: a, jobIndex: 1},",
       "<nil>: Internal error: coordinator job index 1 is invalid for replicatedJob a"},
      {"coordinator: {replicatedJob: a, podIndex: 1},",
       "<nil>: Internal error: coordinator pod index 1 is invalid for replicatedJob a job index 0"},
      {"failurePolicy: {restartStrategy: InPlaceRestart},",
       "<nil>: Internal error: InPlaceRestart restart strategy cannot be set when InPlaceRestart feature gate is "
       "disabled"},
      {"failurePolicy: {rules: [{name: r, action: RestartJob}]},",
       "<nil>: Internal error: RestartJob and RestartJobAndIgnoreMaxRestarts failure policy actions are not allowed "
       "when RestartJob feature gate is disabled"},
      {"failurePolicy: {rules: [{name: r, action: FailJobSet}, {name: r, action: FailJobSet}]},",
       "<nil>: Internal error: rule names are not unique, rules with indices [0 1] all have the same name 'r'"},
      {"failurePolicy: {rules: [{name: r, action: FailJobSet, onJobFailureReasons: [Bad]}]},",
       "<nil>: Internal error: invalid job failure reason 'Bad' in failure policy is not a recognized job failure "
       "reason"},
      {"managedBy: me,",
       "spec.managedBy: Invalid value: \"me\": must be a domain-prefixed path (such as "
       "\"acme.io/foo\")"},
  };
  for (const auto& [spec, why] : cases) {
    EXPECT_EQ(refusal_of(spec + std::string(" replicatedJobs: [") + kJob + "]"), begin + why) << spec;
  }
  EXPECT_EQ(refusal_of("replicatedJobs: [{name: a, replicas: 1, groupName: g, dependsOn: [{name: b, status: Ready}], "
                       "template: {spec: {completions: 1}}}]"),
            begin +
                "[<nil>: Internal error: DependsOn can't be set for the first ReplicatedJob, <nil>: Internal error: "
                "replicatedJob: a cannot depend on replicatedJob: b]");
}

TEST(JobSetRules, AsksForAMountOfEachClaim) {
  const std::string claims = "volumeClaimPolicies: [{templates: [{metadata: {name: data}}]}], ";
  EXPECT_THAT(refusal_of(claims + std::string("replicatedJobs: [") + kJob + "]"),
              ::testing::HasSubstr("replicatedJob containers don't have a matching volumeMount: data from "
                                   "VolumeClaimPolicies"));
}

TEST(JobSetRules, ReplicatedJobsChangeOnlyInWhatKueueSaysWhileSuspended) {
  const auto change = [](const std::string& before, const std::string& after) {
    const Value then = set_of(before);
    const Value now = set_of(after);
    return job_set_refusal(now, faults_of_job_set_change(then, now)).value_or("");
  };
  const auto jobs = [](const std::string& pod) {
    return "replicatedJobs: [{name: a, template: {spec: {template: {spec: {" + pod + "}}}}}]";
  };
  EXPECT_EQ(change("suspend: true, " + jobs(""), "suspend: false, " + jobs("nodeSelector: {a: b}")), "");
  EXPECT_EQ(change("suspend: true, " + jobs("nodeSelector: {a: b}"), "suspend: true, " + jobs("")), "");
  EXPECT_THAT(change(jobs(""), jobs("nodeSelector: {a: b}")), ::testing::HasSubstr("field is immutable"));
  EXPECT_THAT(change("suspend: true, " + jobs(""), "suspend: true, " + jobs("hostNetwork: true")),
              ::testing::HasSubstr("spec.replicatedJobs: Invalid value: "));
}

}  // namespace
}  // namespace loadline::operators

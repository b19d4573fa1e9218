#include "hosts/operators/jobset/job_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "brain/workloads/job_set.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "hosts/controllers/testing/test_cluster.h"
#include "objects/kube/core/service.h"
#include "objects/kube/core/volume.h"

namespace loadline::operators {
namespace {

using document::Value;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using watching::Action;

Value yaml_value(const std::string& text) { return document::read_yaml(text, "test").documents.at(0); }

/// A JobSet "js" with replicated jobs "a", of two Jobs, and "b", of one.
class JobSetTest : public ::testing::Test {
 protected:
  JobSetTest() { cluster_.add(make_job_set_controller()); }

  void make(const std::string& spec = {}) {
    cluster_.apply("{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: js, uid: js-uid}, spec: {" +
                   spec + " replicatedJobs: [" + job("a", 2) + ", " + job("b", 1) + "]}}");
    cluster_.settle();
  }
  static std::string job(const std::string& name, int replicas) {
    return "{name: " + name + ", replicas: " + std::to_string(replicas) +
           ", template: {spec: {parallelism: 2, completions: 2, template: {spec: {containers: [{name: c}]}}}}}";
  }
  void set_status(const std::string& name, const std::string& status) {
    cluster_.set<kube::Job>(name, {"status"}, yaml_value(status));
    cluster_.settle();
  }
  void be_ready(const std::string& name) { set_status(name, "{active: 2, ready: 2}"); }
  void end(const std::string& name, const std::string& how, const std::string& more = "reason: BackoffLimitExceeded") {
    set_status(name, "{conditions: [{type: " + how + ", status: 'True', lastTransitionTime: '" +
                         format_rfc3339(cluster_.now) + "', " + more + "}]}");
  }
  /// What would be deleted in the foreground goes at once here.
  std::vector<std::string> jobs() const {
    std::vector<std::string> names;
    for (const auto& each : cluster_.all<kube::Job>()) {
      names.push_back(each->metadata().name + (each->view.spec.suspend ? " suspended" : ""));
    }
    return names;
  }
  const kube::JobSetStatus& status() const { return cluster_.get<kube::JobSet>("js")->view.status; }
  /// "Completed", "not Suspended".
  std::vector<std::string> conditions() const {
    std::vector<std::string> all;
    for (const auto& each : status().conditions) all.push_back((each.status == "True" ? "" : "not ") + each.type);
    return all;
  }

  controllers::testing::TestCluster cluster_;
};

TEST_F(JobSetTest, MakesItsJobsAndAServiceForTheirPods) {
  make();
  EXPECT_THAT(jobs(), ElementsAre("js-a-0", "js-a-1", "js-b-0"));
  const auto job = cluster_.get<kube::Job>("js-a-1");
  EXPECT_EQ(job->metadata().controller()->uid, "js-uid");
  EXPECT_EQ(job->metadata().labels.at("jobset.sigs.k8s.io/job-global-index"), "1");
  EXPECT_EQ(document::text_at(job->document, {"spec", "template", "spec", "subdomain"}), "js");
  EXPECT_EQ(document::text_at(job->document,
                              {"spec", "template", "metadata", "labels", "jobset.sigs.k8s.io/restart-attempt"}),
            "0");
  const auto service = cluster_.get<kube::Service>("js");
  ASSERT_NE(service, nullptr);
  EXPECT_EQ(service->view.selector, (kube::StringMap{{"jobset.sigs.k8s.io/jobset-name", "js"}}));
  EXPECT_EQ(service->metadata().controller()->uid, "js-uid");
}

TEST_F(JobSetTest, CountsHowFarItsJobsAre) {
  make();
  be_ready("js-a-0");
  end("js-b-0", "Complete");
  const kube::ReplicatedJobStatus a{"a", 1, 0, 0, 1, 0};
  const kube::ReplicatedJobStatus b{"b", 0, 1, 0, 0, 0};
  EXPECT_THAT(status().replicated_jobs, ElementsAre(b, a)) << "the last name first";
}

TEST_F(JobSetTest, IsCompleteOnceAllHaveSucceeded) {
  make();
  end("js-a-0", "Complete");
  end("js-a-1", "Complete");
  EXPECT_THAT(conditions(), IsEmpty());
  end("js-b-0", "Complete");
  EXPECT_THAT(conditions(), ElementsAre("Completed"));
  EXPECT_EQ(status().terminal_state, "Completed");
  EXPECT_THAT(cluster_.events, ElementsAre("Normal AllJobsCompleted jobset completed successfully"));
}

TEST_F(JobSetTest, AJobOfTheRightKindMayBeEnough) {
  make("successPolicy: {operator: Any, targetReplicatedJobs: [b]},");
  end("js-a-0", "Complete");
  EXPECT_THAT(conditions(), IsEmpty());
  end("js-b-0", "Complete");
  EXPECT_THAT(conditions(), ElementsAre("Completed"));
  EXPECT_THAT(jobs(), ElementsAre("js-a-0", "js-b-0")) << "js-a-1, which ran, is deleted";
}

TEST_F(JobSetTest, FailsWithAJobIfNothingElseIsSaid) {
  make();
  end("js-a-1", "Failed");
  EXPECT_THAT(conditions(), ElementsAre("Failed"));
  EXPECT_EQ(status().terminal_state, "Failed");
  EXPECT_THAT(cluster_.events, ElementsAre("Warning FailedJobs jobset failed due to one or more job failures (first "
                                           "failed job: js-a-1)"));
  EXPECT_THAT(jobs(), ElementsAre("js-a-1"));
}

TEST_F(JobSetTest, RunsItsJobsAgainAsOftenAsItMay) {
  make("failurePolicy: {maxRestarts: 1},");
  end("js-a-0", "Failed");
  EXPECT_EQ(status().restarts, 1);
  EXPECT_THAT(conditions(), ElementsAre("RestartingJobSet"));
  EXPECT_THAT(jobs(), ElementsAre("js-a-0", "js-a-1", "js-b-0"));
  EXPECT_EQ(cluster_.get<kube::Job>("js-b-0")->metadata().labels.at("jobset.sigs.k8s.io/restart-attempt"), "1");
  for (const char* name : {"js-a-0", "js-a-1", "js-b-0"}) be_ready(name);
  EXPECT_THAT(conditions(), ElementsAre("not RestartingJobSet"));
  end("js-b-0", "Failed");
  EXPECT_EQ(status().restarts, 1);
  EXPECT_THAT(conditions(), ElementsAre("not RestartingJobSet", "Failed"));
  EXPECT_THAT(cluster_.events, Contains(HasSubstr("reaching max number of restarts (first failed job: js-b-0)")));
}

TEST_F(JobSetTest, ARuleSaysWhatFollowsFromWhichFailure) {
  make(
      "failurePolicy: {maxRestarts: 0, rules: [{name: host, action: RestartJobSetAndIgnoreMaxRestarts, "
      "onJobFailureReasons: [PodFailurePolicy], onJobFailureMessagePatterns: ['exit code 4[0-9]'], "
      "targetReplicatedJobs: [a]}, {name: other, action: FailJobSet}]},");
  end("js-a-0", "Failed", "reason: PodFailurePolicy, message: container c failed with exit code 42");
  EXPECT_EQ(status().restarts, 1);
  EXPECT_EQ(status().restarts_count_towards_max, 0);
  EXPECT_EQ(status().conditions.at(0).reason, "FailurePolicy_host");
  end("js-b-0", "Failed", "reason: PodFailurePolicy, message: container c failed with exit code 42");
  EXPECT_EQ(status().terminal_state, "Failed");
  EXPECT_THAT(cluster_.events, Contains(HasSubstr("applying FailJobSet failure policy action (first failed job: "
                                                  "js-b-0)")));
}

TEST_F(JobSetTest, StartsInOrder) {
  make("startupPolicy: {startupPolicyOrder: InOrder},");
  EXPECT_THAT(jobs(), ElementsAre("js-a-0", "js-a-1"));
  EXPECT_THAT(conditions(), ElementsAre("StartupPolicyInProgress"));
  be_ready("js-a-0");
  EXPECT_THAT(jobs(), ElementsAre("js-a-0", "js-a-1"));
  be_ready("js-a-1");
  EXPECT_THAT(jobs(), ElementsAre("js-a-0", "js-a-1", "js-b-0"));
  be_ready("js-b-0");
  EXPECT_THAT(conditions(), ElementsAre("not StartupPolicyInProgress", "StartupPolicyCompleted"));
}

TEST_F(JobSetTest, JobsOfASuspendedOneAreSuspendedUntilItGoesOn) {
  make("suspend: true,");
  EXPECT_THAT(jobs(), ElementsAre("js-a-0 suspended", "js-a-1 suspended", "js-b-0 suspended"));
  EXPECT_THAT(conditions(), ElementsAre("Suspended"));
  // Kueue says where the pods go before it lets them start.
  cluster_.set<kube::JobSet>("js", {"spec", "replicatedJobs"},
                             yaml_value("[" + job("a", 2) +
                                        ", {name: b, template: {spec: {template: {spec: "
                                        "{nodeSelector: {pool: blue}, containers: [{name: c}]}}}}}]"));
  cluster_.set<kube::JobSet>("js", {"spec", "suspend"}, Value(false));
  cluster_.settle();
  EXPECT_THAT(jobs(), ElementsAre("js-a-0", "js-a-1", "js-b-0"));
  EXPECT_THAT(conditions(), ElementsAre("not Suspended"));
  EXPECT_EQ(document::text_at(cluster_.get<kube::Job>("js-b-0")->document,
                              {"spec", "template", "spec", "nodeSelector", "pool"}),
            "blue");
}

TEST_F(JobSetTest, ClaimsAreSharedAndGoWithIt) {
  cluster_.apply(
      "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: js, uid: js-uid}, spec: "
      "{volumeClaimPolicies: [{templates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteMany]}}], "
      "retentionPolicy: {whenDeleted: Delete}}], replicatedJobs: [{name: a, template: {spec: {template: {spec: "
      "{containers: [{name: c, volumeMounts: [{name: data, mountPath: /d}]}]}}}}}]}}");
  cluster_.settle();
  const auto claim = cluster_.get<kube::PersistentVolumeClaim>("data-js");
  ASSERT_NE(claim, nullptr);
  EXPECT_EQ(claim->metadata().controller()->uid, "js-uid");
  const Value* volumes =
      document::find_at(cluster_.get<kube::Job>("js-a-0")->document, {"spec", "template", "spec", "volumes"});
  ASSERT_NE(volumes, nullptr);
  EXPECT_EQ(document::text_at(volumes->array().at(0), {"persistentVolumeClaim", "claimName"}), "data-js");
}

TEST_F(JobSetTest, GoesWhenItsTimeIsOver) {
  make("ttlSecondsAfterFinished: 60,");
  end("js-a-0", "Failed");
  cluster_.wait(Duration::seconds(59));
  EXPECT_NE(cluster_.get<kube::JobSet>("js"), nullptr);
  cluster_.wait(Duration::seconds(1));
  EXPECT_EQ(cluster_.get<kube::JobSet>("js"), nullptr);
}

TEST_F(JobSetTest, TellsWhichJobsCannotBeMade) {
  cluster_.refuse = [](const Action& action) -> std::optional<kube::Status> {
    if (action.of.plural != "jobs") return std::nullopt;
    return kube::Status{422, "Invalid", "no", {}};
  };
  make();
  cluster_.settle();
  EXPECT_THAT(cluster_.events, Contains("Warning JobCreationFailed job \"js-a-0\" creation failed with error: no\n"
                                        "job \"js-a-1\" creation failed with error: no"));
  EXPECT_THAT(conditions(), IsEmpty());
}

TEST_F(JobSetTest, LeavesWhatOthersManage) {
  make("managedBy: kueue.x-k8s.io/multikueue,");
  EXPECT_THAT(jobs(), IsEmpty());
}

TEST_F(JobSetTest, MakesABatchOfJobsHoweverManyAreWanted) {
  cluster_.allow_creations(6);
  cluster_.apply(
      "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: js, uid: js-uid}, spec: {suspend: true, "
      "replicatedJobs: [" +
      job("a", 2147483647) + "]}}");
  cluster_.settle();
  EXPECT_THAT(jobs(), SizeIs(5)) << "and a service";
  EXPECT_LE(cluster_.tried, 60U);
}

TEST_F(JobSetTest, GoesOnWithTheNextBatchOnceTheFirstIsThere) {
  cluster_.apply(
      "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: js, uid: js-uid}, spec: {suspend: true, "
      "replicatedJobs: [" +
      job("a", 520) + "]}}");
  cluster_.settle();
  EXPECT_THAT(jobs(), SizeIs(520));
}

}  // namespace
}  // namespace loadline::operators

#include "hosts/controllers/cron_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/document/writer.h"
#include "hosts/controllers/testing/test_cluster.h"
#include "hosts/controllers/ttl_after_finished.h"
#include "objects/kube/batch/batch.h"

namespace loadline::controllers {
namespace {

using document::Value;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

/// The clock begins at midnight, 2026-01-01.
class CronJobTest : public ::testing::Test {
 protected:
  CronJobTest() { cluster_.add(make_cron_job_controller()); }

  void make(const std::string& more, const std::string& schedule = "*/10 * * * *") {
    cluster_.apply("{apiVersion: batch/v1, kind: CronJob, metadata: {name: cron, uid: cron-uid}, spec: {schedule: '" +
                   schedule + "', " + more +
                   " jobTemplate: {metadata: {labels: {a: b}, annotations: {note: kept}}, spec: {completions: 3, "
                   "template: {spec: {containers: [{name: main}]}}}}}}");
    cluster_.settle();
  }
  void pass(std::int64_t seconds) { cluster_.wait(Duration::seconds(seconds)); }
  std::vector<std::string> jobs() const {
    std::vector<std::string> names;
    for (const auto& job : cluster_.all<kube::Job>()) names.push_back(job->metadata().name);
    return names;
  }
  void end(const std::string& job, const std::string& how) {
    const std::string at = format_rfc3339(cluster_.now);
    cluster_.set<kube::Job>(
        job, {"status"},
        document::read_yaml("{startTime: '" + at + "', completionTime: '" + at + "', conditions: [{type: " + how +
                                ", status: 'True', lastTransitionTime: '" + at + "'}]}",
                            "test")
            .documents.at(0));
    cluster_.settle();
  }
  const kube::CronJobStatus& status() const { return cluster_.get<kube::CronJob>("cron")->view.status; }

  testing::TestCluster cluster_;
};

TEST_F(CronJobTest, MakesAJobWhenItIsDue) {
  make("");
  EXPECT_THAT(jobs(), IsEmpty());
  EXPECT_EQ(cluster_.again_after, Duration{600'100'000'000});
  pass(600);
  EXPECT_THAT(jobs(), ElementsAre("cron-29453770"));
  const auto job = cluster_.get<kube::Job>("cron-29453770");
  EXPECT_EQ(document::write_json(*document::find_at(job->document, {"metadata", "annotations"})),
            R"({"note":"kept","batch.kubernetes.io/cronjob-scheduled-timestamp":"2026-01-01T00:10:00Z"})");
  EXPECT_EQ(job->metadata().labels.at("a"), "b");
  EXPECT_EQ(job->metadata().controller()->uid, "cron-uid");
  EXPECT_EQ(job->view.spec.completions, 3);
  ASSERT_THAT(status().active, SizeIs(1));
  EXPECT_EQ(status().active[0].name, "cron-29453770");
  EXPECT_EQ(status().last_schedule_time, parse_rfc3339("2026-01-01T00:10:00Z"));
  EXPECT_THAT(cluster_.events, ElementsAre("Normal SuccessfulCreate Created job cron-29453770"));
  pass(60);
  EXPECT_THAT(jobs(), SizeIs(1)) << "a run is made once";
}

TEST_F(CronJobTest, SeesJobsEnd) {
  make("");
  pass(600);
  end("cron-29453770", "Complete");
  EXPECT_THAT(status().active, IsEmpty());
  EXPECT_EQ(status().last_successful_time, cluster_.now);
  EXPECT_EQ(cluster_.events.back(), "Normal SawCompletedJob Saw completed job: cron-29453770, condition: Complete");
}

TEST_F(CronJobTest, ForbidsOrReplacesWhatStillRuns) {
  make("concurrencyPolicy: Forbid,");
  pass(600);
  pass(600);
  EXPECT_THAT(jobs(), SizeIs(1));
  EXPECT_EQ(cluster_.events.back(),
            "Normal JobAlreadyActive Not starting job because prior execution is running and concurrency policy is "
            "Forbid");
  cluster_.set<kube::CronJob>("cron", {"spec", "concurrencyPolicy"}, Value("Replace"));
  cluster_.settle();
  EXPECT_THAT(jobs(), ElementsAre("cron-29453780"));
  EXPECT_THAT(cluster_.events, Contains("Normal SuccessfulDelete Deleted job cron-29453770"));
  EXPECT_THAT(cluster_.events, ::testing::Not(Contains(HasSubstr("MissingJob"))));
  ASSERT_THAT(status().active, SizeIs(1));
}

TEST_F(CronJobTest, KeepsAsManyEndedJobsAsItShould) {
  make("successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0,");
  for (int i = 0; i < 3; ++i) {
    pass(600);
    end(jobs().back(), i == 1 ? "Failed" : "Complete");
  }
  EXPECT_THAT(jobs(), ElementsAre("cron-29453790"));
}

TEST_F(CronJobTest, MakesOnlyTheLatestOfTheRunsItMissed) {
  make("");
  pass(7200);
  EXPECT_THAT(jobs(), ElementsAre("cron-29453880"));
  EXPECT_EQ(status().last_schedule_time, parse_rfc3339("2026-01-01T02:00:00Z"));
}

TEST_F(CronJobTest, ComesTooLateForTheDeadline) {
  make("startingDeadlineSeconds: 100,", "0 * * * *");
  pass(3600 + 101);
  EXPECT_THAT(jobs(), IsEmpty());
  pass(3600 - 101);
  EXPECT_THAT(jobs(), SizeIs(1));
}

TEST_F(CronJobTest, SuspendedItMakesNothing) {
  make("suspend: true,");
  pass(6000);
  EXPECT_THAT(jobs(), IsEmpty());
}

TEST_F(CronJobTest, SaysWhatIsWrongWithIt) {
  make("", "every day");
  EXPECT_THAT(cluster_.events,
              Contains(StartsWith("Warning UnparseableSchedule unparseable schedule: \"every day\" : ")));
  cluster_.set<kube::CronJob>("cron", {"spec", "timeZone"}, Value("Nowhere/Town"));
  cluster_.settle();
  EXPECT_EQ(cluster_.events.back(),
            "Warning UnknownTimeZone invalid timeZone: \"Nowhere/Town\": unknown time zone Nowhere/Town");
}

TEST_F(CronJobTest, TakesUpAJobItMadeButDidNotWriteDown) {
  make("");
  // The status cannot be written after the Job was made.
  cluster_.refuse = [](const Action& action) -> std::optional<kube::Status> {
    if (action.verb != Action::Verb::kUpdate) return std::nullopt;
    return kube::Status{500, "InternalError", "out of order", {}};
  };
  pass(600);
  EXPECT_THAT(status().active, IsEmpty());
  cluster_.refuse = [](const Action&) -> std::optional<kube::Status> { return std::nullopt; };
  pass(1);
  EXPECT_THAT(jobs(), SizeIs(1));
  EXPECT_THAT(status().active, SizeIs(1));
  EXPECT_EQ(status().last_schedule_time, parse_rfc3339("2026-01-01T00:10:00Z"));
}

TEST(TtlAfterFinished, DeletesJobsWhenTheirTimeIsUp) {
  testing::TestCluster cluster;
  cluster.add(make_ttl_after_finished_controller());
  cluster.apply(R"(
apiVersion: batch/v1
kind: Job
metadata: {name: done}
spec: {ttlSecondsAfterFinished: 30}
status: {conditions: [{type: Failed, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: running}
spec: {ttlSecondsAfterFinished: 30}
---
apiVersion: batch/v1
kind: Job
metadata: {name: kept}
status: {conditions: [{type: Complete, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}]}
)");
  cluster.settle();
  EXPECT_THAT(cluster.all<kube::Job>(), SizeIs(3));
  cluster.wait(Duration::seconds(30));
  EXPECT_THAT(cluster.done, ElementsAre("delete jobs done"));
}

}  // namespace
}  // namespace loadline::controllers

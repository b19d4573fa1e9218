#include "hosts/controllers/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "brain/workloads/job.h"
#include "foundation/document/writer.h"
#include "hosts/controllers/job_pods.h"
#include "hosts/controllers/testing/test_cluster.h"
#include "objects/kube/workload_names.h"

namespace loadline::controllers {
namespace {

using document::Value;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

Value yaml(std::string_view text) { return document::read_yaml(text, "test").documents.at(0); }

class JobTest : public ::testing::Test {
 protected:
  JobTest() {
    cluster_.finalizers_hold = true;
    cluster_.add(make_job_controller());
    cluster_.add(make_job_orphan_controller());
  }

  /// A Job with the fields an API server fills in, and those of `spec` in their place.
  void make_job(const std::string& spec) {
    Value job = yaml(R"({apiVersion: batch/v1, kind: Job, metadata: {name: job, uid: job-uid}, spec: {
      parallelism: 1, completions: 1, backoffLimit: 6, completionMode: NonIndexed, suspend: false,
      podReplacementPolicy: TerminatingOrFailed, selector: {matchLabels: {job: job}},
      template: {metadata: {labels: {job: job}}, spec: {restartPolicy: Never, containers: [{name: main}]}}}})");
    const Value changes = yaml(spec);
    for (const document::Member& member : changes.object()) {
      job = document::with_at(std::move(job), {"spec", member.key}, member.value);
    }
    cluster_.apply(document::write_yaml(job));
    cluster_.settle();
  }

  const kube::JobStatus& status() const { return cluster_.get<kube::Job>("job")->view.status; }
  std::string condition(std::string_view type) const {
    for (const kube::JobCondition& found : status().conditions) {
      if (found.type == type) return found.status + ' ' + found.reason;
    }
    return "";
  }

  std::vector<ObjectPtr<kube::Pod>> active() const {
    auto pods = cluster_.all<kube::Pod>();
    std::erase_if(pods, [](const auto& pod) { return pod->view.finished() || pod->is_being_deleted(); });
    return pods;
  }
  std::string index_of(const Observed<kube::Pod>& pod) const {
    const auto index = workloads::completion_index(pod.metadata());
    return index ? std::to_string(*index) : "-";
  }
  std::vector<std::string> active_indexes() const {
    std::vector<std::string> indexes;
    for (const auto& pod : active()) indexes.push_back(index_of(*pod));
    return indexes;
  }

  void end(const Observed<kube::Pod>& pod, int exit_code) {
    const std::string phase = exit_code == 0 ? "Succeeded" : "Failed";
    const std::string at = format_rfc3339(cluster_.now);
    cluster_.set<kube::Pod>(
        pod.metadata().name, {"status"},
        yaml("{phase: " + phase + ", containerStatuses: [{name: main, state: {terminated: {exitCode: " +
             std::to_string(exit_code) + ", finishedAt: '" + at + "'}}}]}"));
  }
  void end_all(int exit_code) {
    for (const auto& pod : active()) end(*pod, exit_code);
    cluster_.settle();
  }
  void end_index(std::string_view index, int exit_code) {
    for (const auto& pod : active()) {
      if (index_of(*pod) == index) end(*pod, exit_code);
    }
    cluster_.settle();
  }

  testing::TestCluster cluster_;
};

TEST_F(JobTest, CompletesWhenItsPodSucceeds) {
  make_job("{}");
  ASSERT_THAT(active(), SizeIs(1));
  EXPECT_EQ(status().active, 1);
  EXPECT_EQ(status().start_time, cluster_.now);
  const Value& pod = active()[0]->document;
  EXPECT_EQ(document::find_at(pod, {"metadata", "finalizers"})->array().at(0).string(), kube::kJobTracking);
  cluster_.run_pods();
  cluster_.settle();
  EXPECT_EQ(status().ready, 1);
  end_all(0);
  EXPECT_EQ(condition("SuccessCriteriaMet"), "True CompletionsReached");
  EXPECT_EQ(condition("Complete"), "True CompletionsReached");
  EXPECT_EQ(status().completion_time, cluster_.now);
  EXPECT_EQ(status().succeeded, 1);
  EXPECT_EQ(status().active, 0);
  EXPECT_EQ(status().ready, 0);
  EXPECT_EQ(status().terminating, 0);
  EXPECT_THAT(status().uncounted_terminated_pods->succeeded, IsEmpty());
  EXPECT_FALSE(is_tracked(cluster_.all<kube::Pod>()[0]->metadata()));
  EXPECT_THAT(cluster_.events,
              ElementsAre("Normal SuccessfulCreate Created pod: job-00001", "Normal Completed Job completed"));
}

TEST_F(JobTest, RunsNoMorePodsThanItsParallelismAndThanRemain) {
  make_job("{parallelism: 2, completions: 3}");
  EXPECT_THAT(active(), SizeIs(2));
  end(*active()[0], 0);
  cluster_.settle();
  EXPECT_THAT(active(), SizeIs(2));
  end(*active()[0], 0);
  cluster_.settle();
  EXPECT_THAT(active(), SizeIs(1));
  end_all(0);
  EXPECT_EQ(status().succeeded, 3);
  EXPECT_EQ(condition("Complete"), "True CompletionsReached");
}

TEST_F(JobTest, WithoutCompletionsOneSuccessIsEnough) {
  make_job("{parallelism: 2, completions: null}");
  EXPECT_THAT(active(), SizeIs(2));
  end(*active()[0], 0);
  cluster_.settle();
  EXPECT_THAT(active(), SizeIs(1));
  EXPECT_EQ(condition("Complete"), "");
  end_all(1);
  EXPECT_EQ(condition("Complete"), "True CompletionsReached");
  EXPECT_EQ(status().failed, 1);
}

TEST_F(JobTest, WaitsLongerAfterEachFailureAndGivesUp) {
  make_job("{backoffLimit: 2}");
  end_all(1);
  EXPECT_THAT(active(), IsEmpty());
  EXPECT_EQ(status().failed, 1);
  EXPECT_EQ(cluster_.again_after, Duration::seconds(10));
  cluster_.wait(Duration::seconds(11));
  ASSERT_THAT(active(), SizeIs(1));
  end_all(1);
  EXPECT_EQ(cluster_.again_after, Duration::seconds(20));
  cluster_.wait(Duration::seconds(21));
  end_all(1);
  EXPECT_EQ(condition("FailureTarget"), "True BackoffLimitExceeded");
  EXPECT_EQ(condition("Failed"), "True BackoffLimitExceeded");
  EXPECT_EQ(status().failed, 3);
  EXPECT_EQ(status().completion_time, std::nullopt);
  EXPECT_EQ(cluster_.events.back(), "Warning BackoffLimitExceeded Job has reached the specified backoff limit");
}

TEST_F(JobTest, DeletesItsPodsAtTheDeadline) {
  make_job("{parallelism: 2, completions: 2, activeDeadlineSeconds: 60}");
  EXPECT_EQ(cluster_.again_after, Duration::seconds(60));
  cluster_.wait(Duration::seconds(60));
  EXPECT_THAT(cluster_.all<kube::Pod>(), IsEmpty());
  EXPECT_EQ(condition("Failed"), "True DeadlineExceeded");
  EXPECT_EQ(status().failed, 2);
  EXPECT_EQ(cluster_.events.back(), "Warning DeadlineExceeded Job was active longer than specified deadline");
}

TEST_F(JobTest, ASuspendedJobHasNoPodsAndStartsAnew) {
  make_job("{suspend: true}");
  EXPECT_THAT(active(), IsEmpty());
  EXPECT_EQ(status().start_time, std::nullopt);
  EXPECT_EQ(condition("Suspended"), "True JobSuspended");
  EXPECT_THAT(cluster_.events, ElementsAre("Normal Suspended Job suspended"));
  cluster_.now = cluster_.now + Duration::seconds(100);
  cluster_.set<kube::Job>("job", {"spec", "suspend"}, Value(false));
  cluster_.settle();
  EXPECT_EQ(condition("Suspended"), "False JobResumed");
  EXPECT_EQ(status().start_time, cluster_.now);
  EXPECT_THAT(active(), SizeIs(1));
  EXPECT_THAT(cluster_.events, Contains("Normal Resumed Job resumed"));
  cluster_.set<kube::Job>("job", {"spec", "suspend"}, Value(true));
  cluster_.settle();
  EXPECT_THAT(cluster_.all<kube::Pod>(), IsEmpty());
  EXPECT_EQ(status().failed, 0) << "what is taken away does not fail";
  EXPECT_EQ(status().start_time, std::nullopt);
}

TEST_F(JobTest, IndexedPodsKnowTheirIndex) {
  make_job("{completionMode: Indexed, parallelism: 3, completions: 3}");
  EXPECT_THAT(active_indexes(), ElementsAre("0", "1", "2"));
  const auto pod = active()[1];
  EXPECT_EQ(pod->metadata().labels.at(std::string(kube::kJobCompletionIndex)), "1");
  EXPECT_EQ(pod->view.spec->hostname, "job-1");
  EXPECT_TRUE(pod->metadata().name.starts_with("job-1-"));
  EXPECT_EQ(document::write_json(document::find_at(pod->document, {"spec", "containers"})->array()[0]),
            R"({"name":"main","env":[{"name":"JOB_COMPLETION_INDEX","valueFrom":{"fieldRef":)"
            R"({"fieldPath":"metadata.labels['batch.kubernetes.io/job-completion-index']"}}}]})");
  end_index("0", 0);
  end_index("2", 0);
  EXPECT_EQ(status().completed_indexes, "0,2");
  EXPECT_EQ(status().succeeded, 2);
  end_index("1", 1);
  EXPECT_EQ(status().failed, 1);
  cluster_.wait(Duration::seconds(11));
  EXPECT_THAT(active_indexes(), ElementsAre("1"));
  end_index("1", 0);
  EXPECT_EQ(status().completed_indexes, "0-2");
  EXPECT_EQ(condition("Complete"), "True CompletionsReached");
}

TEST_F(JobTest, FailuresCountByIndexWhereTheyAreLimitedByIndex) {
  make_job(
      "{completionMode: Indexed, parallelism: 2, completions: 2, backoffLimitPerIndex: 1, backoffLimit: 2147483647}");
  end_index("0", 0);
  end_index("1", 1);
  EXPECT_EQ(status().failed_indexes, "");
  EXPECT_THAT(active(), IsEmpty());
  cluster_.wait(Duration::seconds(11));
  ASSERT_THAT(active_indexes(), ElementsAre("1"));
  EXPECT_EQ(active()[0]->metadata().annotations.at("batch.kubernetes.io/job-index-failure-count"), "1");
  end_index("1", 1);
  EXPECT_EQ(status().failed_indexes, "1");
  EXPECT_EQ(condition("Failed"), "True FailedIndexes");
  EXPECT_EQ(status().failed, 2);
}

TEST_F(JobTest, TooManyFailedIndexesEndTheJob) {
  make_job(
      "{completionMode: Indexed, parallelism: 3, completions: 5, backoffLimitPerIndex: 0, maxFailedIndexes: 1, "
      "backoffLimit: 2147483647}");
  end_index("0", 1);
  EXPECT_THAT(active_indexes(), ElementsAre("1", "2", "3"));
  end_index("1", 1);
  EXPECT_EQ(condition("Failed"), "True MaxFailedIndexesExceeded");
  EXPECT_THAT(active(), IsEmpty());
}

TEST_F(JobTest, ThePodFailurePolicyMayFailTheJob) {
  make_job(R"({podFailurePolicy: {rules: [
    {action: Ignore, onPodConditions: [{type: DisruptionTarget, status: 'True'}]},
    {action: FailJob, onExitCodes: {containerName: main, operator: In, values: [42]}}]}})");
  end_all(42);
  EXPECT_EQ(condition("Failed"), "True PodFailurePolicy");
  EXPECT_EQ(cluster_.events.back(),
            "Warning PodFailurePolicy Container main for pod default/job-00001 failed with exit code 42 matching "
            "FailJob rule at index 1");
}

TEST_F(JobTest, IgnoredFailuresDoNotCount) {
  make_job(
      "{backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onExitCodes: {operator: NotIn, values: [1]}}]}}");
  end_all(7);
  EXPECT_EQ(status().failed, 0);
  EXPECT_EQ(condition("Failed"), "");
  cluster_.wait(Duration::seconds(11));
  ASSERT_THAT(active(), SizeIs(1));
  end_all(1);
  EXPECT_EQ(status().failed, 1);
  EXPECT_EQ(condition("Failed"), "True BackoffLimitExceeded");
}

TEST_F(JobTest, ThePolicyMayFailAnIndex) {
  make_job(
      "{completionMode: Indexed, parallelism: 2, completions: 2, backoffLimitPerIndex: 5, backoffLimit: 2147483647, "
      "podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: {operator: In, values: [3]}}]}}");
  end_index("0", 3);
  EXPECT_EQ(status().failed_indexes, "0");
  EXPECT_EQ(condition("Failed"), "");
  end_index("1", 0);
  EXPECT_EQ(condition("Failed"), "True FailedIndexes");
}

TEST_F(JobTest, ASuccessPolicyEndsTheJobBeforeAllIndexesHaveSucceeded) {
  make_job(
      "{completionMode: Indexed, parallelism: 3, completions: 3, "
      "successPolicy: {rules: [{succeededIndexes: '1-2', succeededCount: 1}]}}");
  end_index("0", 0);
  EXPECT_EQ(condition("SuccessCriteriaMet"), "");
  end_index("2", 0);
  EXPECT_EQ(condition("SuccessCriteriaMet"), "True SuccessPolicy");
  EXPECT_EQ(condition("Complete"), "True SuccessPolicy");
  EXPECT_THAT(active(), IsEmpty());
  EXPECT_EQ(status().completed_indexes, "0,2");
  EXPECT_EQ(status().failed, 0);
}

TEST(JobReplacement, ReplacesPodsThatAreBeingDeletedOnlyIfThatIsThePolicy) {
  for (const char* policy : {"TerminatingOrFailed", "Failed"}) {
    testing::TestCluster cluster;
    cluster.pods_end_at_once = false;
    cluster.add(make_job_controller());
    cluster.apply(
        std::string(R"({apiVersion: batch/v1, kind: Job, metadata: {name: job}, spec: {parallelism: 1,
      completions: 1, backoffLimit: 6, selector: {matchLabels: {a: b}}, podReplacementPolicy: )") +
        policy +
        ", template: {metadata: {labels: {a: b}}, spec: {restartPolicy: Never, containers: [{name: main}]}}}}");
    cluster.settle();
    cluster.set<kube::Pod>("job-00001", {"metadata", "deletionTimestamp"}, Value(format_rfc3339(cluster.now)));
    cluster.settle();
    cluster.wait(Duration::seconds(30));
    const bool replaced = std::string_view(policy) == "TerminatingOrFailed";
    EXPECT_EQ(cluster.all<kube::Pod>().size(), replaced ? 2U : 1U) << policy;
    EXPECT_EQ(cluster.get<kube::Job>("job")->view.status.terminating, 1) << policy;
  }
}

TEST_F(JobTest, LessParallelismTakesPodsAwayWithoutCountingThem) {
  make_job("{parallelism: 3, completions: 5}");
  cluster_.set<kube::Job>("job", {"spec", "parallelism"}, Value(std::int64_t{1}));
  cluster_.settle();
  EXPECT_THAT(cluster_.all<kube::Pod>(), SizeIs(1));
  EXPECT_EQ(status().failed, 0);
  EXPECT_EQ(status().active, 1);
  // Which of them, when they are equally old, is up to their uids.
  EXPECT_THAT(cluster_.events, Contains(StartsWith("Normal SuccessfulDelete Deleted pod: job-")));
}

TEST_F(JobTest, CountsEachPodOnceWhateverFailsInBetween) {
  make_job("{parallelism: 4, completions: 8}");
  int requests = 0;
  // Every third request is refused.
  cluster_.refuse = [&](const Action&) -> std::optional<kube::Status> {
    if (++requests % 3 != 0) return std::nullopt;
    return kube::Status{500, "InternalError", "out of order", {}};
  };
  for (int round = 0; round < 60; ++round) {
    for (const auto& pod : active()) end(*pod, 0);
    cluster_.settle();
  }
  EXPECT_EQ(condition("Complete"), "True CompletionsReached");
  EXPECT_EQ(status().succeeded, 8);
  EXPECT_EQ(status().failed, 0);
}

TEST_F(JobTest, LetsGoOfPodsWhoseJobIsGone) {
  make_job("{parallelism: 2, completions: 2}");
  cluster_.caches.of<kube::Job>().erase({"default", "job"});
  cluster_.settle();
  for (const auto& pod : cluster_.all<kube::Pod>()) EXPECT_FALSE(is_tracked(pod->metadata()));
}

TEST_F(JobTest, LeavesJobsOfOthersAlone) {
  make_job("{managedBy: example.com/other}");
  EXPECT_THAT(cluster_.done, IsEmpty());
}

TEST_F(JobTest, AdoptedPodsAreTracked) {
  cluster_.apply("{apiVersion: v1, kind: Pod, metadata: {name: orphan, labels: {job: job}}, spec: {}}");
  make_job("{}");
  EXPECT_THAT(active(), SizeIs(1));
  EXPECT_TRUE(is_tracked(cluster_.get<kube::Pod>("orphan")->metadata()));
  EXPECT_EQ(status().active, 1);
}

}  // namespace
}  // namespace loadline::controllers

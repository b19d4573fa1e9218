// Jobs in a cluster with Kueue's queues.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/embedded/testing/kueue_fixture.h"

namespace loadline::embedded {
namespace {

using testing::kFlavors;
using testing::kJobs;
using testing::kLocalQueues;
using testing::kQueues;
using testing::KueueTest;
using testing::kWorkloads;
using Value = document::Value;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class KueueJobsTest : public KueueTest {};

TEST_F(KueueJobsTest, RunWhereTheyAreAdmittedAndComplete) {
  start_with_queues();
  apply(kJobs, job());
  EXPECT_EQ(document::value_at(only(kJobs), {"spec", "suspend"}), Value(true));
  EXPECT_THAT(pods(), IsEmpty());
  EXPECT_EQ(document::text_at(only(kWorkloads), {"spec", "queueName"}), "team");
  ASSERT_EQ(admit(), "");
  EXPECT_THAT(pods(), Contains(Pair("Running on n1", 2))) << "the flavor's node";
  EXPECT_TRUE(is_true(only(kWorkloads), "PodsReady"));
  loop_.advance(Duration::seconds(60));
  EXPECT_TRUE(is_true(only(kJobs), "Complete"));
  EXPECT_TRUE(is_true(only(kWorkloads), "Finished"));
  EXPECT_THAT(document::items_at(only(kWorkloads), {"metadata", "finalizers"}), IsEmpty());
}

TEST_F(KueueJobsTest, StopWhenTheyAreEvictedAndGiveTheirQuotaBack) {
  start_with_queues();
  apply(kJobs, job());
  const Value before = document::value_at(only(kJobs), {"spec", "template"});
  ASSERT_EQ(admit(), "");
  ASSERT_EQ(evict(), "");
  loop_.advance(Duration::seconds(40));
  EXPECT_THAT(pods(), IsEmpty());
  EXPECT_EQ(document::value_at(only(kJobs), {"spec", "suspend"}), Value(true));
  EXPECT_EQ(document::value_at(only(kJobs), {"spec", "template"}), before);
  EXPECT_FALSE(is_true(only(kWorkloads), "QuotaReserved"));
  EXPECT_FALSE(is_true(only(kWorkloads), "Admitted"));
  EXPECT_EQ(document::find_at(only(kWorkloads), {"status", "admission"}), nullptr);
  ASSERT_EQ(admit(), "");
  EXPECT_THAT(pods(), Contains(Pair("Running on n1", 2)));
}

TEST_F(KueueJobsTest, AreRefusedWhatKueueRefuses) {
  start_with_queues();
  apply(kJobs, job());
  ASSERT_EQ(admit(), "");
  EXPECT_THAT(merge(kJobs, "train", "{metadata: {labels: {kueue.x-k8s.io/queue-name: other}}}"),
              HasSubstr("admission webhook \"vjob.kb.io\" denied the request: "
                        "metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: \"other\": field is immutable"));
  EXPECT_THAT(merge(kWorkloads, workload_name(), "{spec: {queueName: other}}"),
              HasSubstr("queueName is immutable while workload quota reserved"));
  EXPECT_THAT(merge(kWorkloads, workload_name(), "{status: {admission: {clusterQueue: other}}}", "status"),
              HasSubstr("field is immutable"));
  EXPECT_THAT(merge(kLocalQueues, "team", "{spec: {clusterQueue: other}}"), HasSubstr("immutable"));
}

TEST_F(KueueJobsTest, AreReadInBothVersions) {
  start_with_queues();
  kube::ResourceReference newer = kQueues;
  newer.version = "v1beta2";
  EXPECT_EQ(document::text_at(only(newer), {"spec", "cohortName"}), "all");
  EXPECT_EQ(document::text_at(only(kQueues), {"spec", "cohort"}), "all");
  EXPECT_EQ(document::find_at(only(kQueues), {"spec", "cohortName"}), nullptr);
  EXPECT_EQ(merge(kQueues, "cq", "{spec: {cohort: few}}"), "");
  EXPECT_EQ(document::text_at(only(newer), {"spec", "cohortName"}), "few");
  EXPECT_EQ(merge(newer, "cq", "{spec: {cohortName: null}}"), "");
  EXPECT_EQ(document::find_at(only(kQueues), {"spec", "cohort"}), nullptr);
}

TEST_F(KueueJobsTest, QueuesInUseStayUntilTheyAreNot) {
  start_with_queues();
  apply(kJobs, job());
  ASSERT_EQ(admit(), "");
  for (const kube::ResourceReference& of : {kQueues, kFlavors}) {
    kube::ResourceReference one = of;
    one.name = of.plural == "clusterqueues" ? "cq" : "a";
    client_->remove(one, {}, [](const kube::Answer<Value>&) {});
  }
  loop_.run_until_idle();
  EXPECT_THAT(list(kQueues), SizeIs(1));
  EXPECT_THAT(list(kFlavors), SizeIs(1));
  loop_.advance(Duration::seconds(60));
  EXPECT_THAT(list(kQueues), IsEmpty());
  EXPECT_THAT(list(kFlavors), IsEmpty());
}

TEST_F(KueueJobsTest, AreARealKueuesWhereOursIsSwitchedOff) {
  ClusterOptions options;
  options.disabled_operators = {"kueue"};
  start_with_queues(std::move(options));
  apply(kJobs, job());
  EXPECT_EQ(document::value_at(only(kJobs), {"spec", "suspend"}), Value(false));
  EXPECT_THAT(list(kWorkloads), IsEmpty());
}

/// With the queues that decide.
class KueueWholeTest : public KueueTest {
 protected:
  void start_deciding() { start_with_queues({}, "None"); }
  void add_job(const std::string& name, int pods, const std::string& labels = {}) {
    std::string text = job("kueue.x-k8s.io/queue-name: team" + labels);
    text.replace(text.find("name: train"), 11, "name: " + name);
    text.replace(text.find("parallelism: 2"), 14, fmt::format("parallelism: {}", pods));
    text.replace(text.find("completions: 2"), 14, fmt::format("completions: {}", pods));
    apply(kJobs, text);
  }
  /// "a runs, b waits".
  std::string jobs() {
    std::vector<std::string> all;
    for (const Value& each : list(kJobs)) {
      const bool is_held = document::value_at(each, {"spec", "suspend"}) == Value(true);
      const std::string_view state = is_true(each, "Complete") ? "is complete" : is_held ? "waits" : "runs";
      all.push_back(fmt::format("{} {}", document::text_at(each, {"metadata", "name"}), state));
    }
    return fmt::format("{}", fmt::join(all, ", "));
  }
};

TEST_F(KueueWholeTest, OneJobAfterTheOther) {
  start_deciding();
  add_job("a", 3);
  add_job("b", 3);
  loop_.advance(Duration::seconds(5));
  EXPECT_EQ(jobs(), "a runs, b waits");
  EXPECT_EQ(pods()["Running on n1"], 3);
  loop_.advance(Duration::seconds(40));
  EXPECT_EQ(jobs(), "a is complete, b runs");
  loop_.advance(Duration::seconds(60));
  EXPECT_EQ(jobs(), "a is complete, b is complete");
  for (const Value& each : list(kWorkloads)) EXPECT_TRUE(is_true(each, "Finished"));
}

TEST_F(KueueWholeTest, AMoreImportantJobStopsAnother) {
  start_deciding();
  apply({"kueue.x-k8s.io", "v1beta2", "workloadpriorityclasses"},
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: WorkloadPriorityClass, metadata: {name: high}, value: 100}");
  add_job("a", 3);
  loop_.advance(Duration::seconds(5));
  add_job("b", 3, ", kueue.x-k8s.io/priority-class: high");
  loop_.advance(Duration::seconds(20));
  EXPECT_EQ(jobs(), "a waits, b runs");
  EXPECT_EQ(pods()["Running on n1"], 3);
  loop_.advance(Duration::seconds(120));
  EXPECT_EQ(jobs(), "a is complete, b is complete");
}

TEST_F(KueueWholeTest, AHeldJobThatBecomesSmallerGetsIn) {
  start_deciding();
  add_job("a", 6);
  loop_.advance(Duration::seconds(5));
  EXPECT_EQ(jobs(), "a waits");
  EXPECT_EQ(merge(kJobs, "a", "{spec: {parallelism: 2}}"), "");
  loop_.advance(Duration::seconds(5));
  EXPECT_EQ(jobs(), "a runs");
}

}  // namespace
}  // namespace loadline::embedded

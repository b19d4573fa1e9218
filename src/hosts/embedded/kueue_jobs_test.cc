// Jobs of a cluster with Kueue's queues, as far as their side goes: the test says what the queues would.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/go_json.h"
#include "hosts/embedded/testing/cluster_fixture.h"
#include "objects/kube/condition.h"

namespace loadline::embedded {
namespace {

using document::text_at;
using testing::ClusterTest;
using testing::node;
using testing::yaml;
using Value = document::Value;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

const kube::ResourceReference kJobs{"batch", "v1", "jobs", "default"};
const kube::ResourceReference kWorkloads{"kueue.x-k8s.io", "v1beta2", "workloads", "default"};
const kube::ResourceReference kFlavors{"kueue.x-k8s.io", "v1beta1", "resourceflavors"};
const kube::ResourceReference kQueues{"kueue.x-k8s.io", "v1beta1", "clusterqueues"};
const kube::ResourceReference kLocalQueues{"kueue.x-k8s.io", "v1beta1", "localqueues", "default"};

class KueueJobsTest : public ClusterTest {
 protected:
  void start_with_queues(ClusterOptions options = {}) {
    Value worker = node("n1", 8);
    worker = document::with_at(std::move(worker), {"metadata", "labels", "pool"}, Value("a"));
    start({node("n0", 8), std::move(worker)}, std::move(options));
    apply(kFlavors,
          "{apiVersion: kueue.x-k8s.io/v1beta1, kind: ResourceFlavor, metadata: {name: a}, spec: {nodeLabels: "
          "{pool: a}}}");
    apply(kQueues,
          "{apiVersion: kueue.x-k8s.io/v1beta1, kind: ClusterQueue, metadata: {name: cq}, spec: {cohort: all, "
          "namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu], flavors: [{name: a, resources: [{name: "
          "cpu, nominalQuota: 4}]}]}]}}");
    apply(kLocalQueues,
          "{apiVersion: kueue.x-k8s.io/v1beta1, kind: LocalQueue, metadata: {name: team}, spec: "
          "{clusterQueue: cq}}");
  }
  static std::string job(const std::string& labels = "kueue.x-k8s.io/queue-name: team") {
    return fmt::format(R"(
apiVersion: batch/v1
kind: Job
metadata: {{name: train, namespace: default, labels: {{{}}}}}
spec:
  parallelism: 2
  completions: 2
  template:
    metadata: {{annotations: {{loadline.dev/run-time: 30s}}}}
    spec:
      restartPolicy: Never
      containers: [{{name: app, image: train, resources: {{requests: {{cpu: "1"}}}}}}]
)",
                       labels);
  }
  [[nodiscard]] Value only(const kube::ResourceReference& of) {
    std::vector<Value> all = list(of);
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? Value(document::Object()) : all.front();
  }
  /// The answer's message; empty: it was done.
  std::string merge(kube::ResourceReference of, const std::string& name, const std::string& patch,
                    const std::string& subresource = {}) {
    of.name = name;
    of.subresource = subresource;
    std::string problem;
    client_->patch(of, {kube::PatchType::kMerge, yaml(patch), false},
                   [&](const kube::Answer<Value>& answer) { problem = answer ? "" : answer.error().message; });
    loop_.run_until_idle();
    return problem;
  }
  std::string workload_name() { return std::string(text_at(only(kWorkloads), {"metadata", "name"})); }
  static std::string condition(const std::string& type, const std::string& status, const std::string& reason) {
    return fmt::format("{{type: {}, status: '{}', reason: {}, message: m, lastTransitionTime: '2026-01-01T00:00:00Z'}}",
                       type, status, reason);
  }
  std::string admit() {
    return merge(
        kWorkloads, workload_name(),
        "{status: {admission: {clusterQueue: cq, podSetAssignments: [{name: main, count: 2, flavors: {cpu: a}, "
        "resourceUsage: {cpu: '2'}}]}, conditions: [" +
            condition("QuotaReserved", "True", "QuotaReserved") + ", " + condition("Admitted", "True", "Admitted") +
            "]}}",
        "status");
  }
  static bool is_true(const Value& object, std::string_view type) { return kube::has_true_condition(object, type); }
};

TEST_F(KueueJobsTest, RunWhereTheyAreAdmittedAndComplete) {
  start_with_queues();
  apply(kJobs, job());
  EXPECT_EQ(document::value_at(only(kJobs), {"spec", "suspend"}), Value(true));
  EXPECT_THAT(pods(), IsEmpty());
  EXPECT_EQ(text_at(only(kWorkloads), {"spec", "queueName"}), "team");
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
  Value conditions = document::value_at(only(kWorkloads), {"status", "conditions"});
  document::Array all = conditions.array();
  all.push_back(yaml(condition("Evicted", "True", "Preempted")));
  ASSERT_EQ(merge(kWorkloads, workload_name(),
                  "{status: {conditions: " + document::write_go_json(Value(std::move(all))) + "}}", "status"),
            "");
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
  EXPECT_EQ(text_at(only(newer), {"spec", "cohortName"}), "all");
  EXPECT_EQ(text_at(only(kQueues), {"spec", "cohort"}), "all");
  EXPECT_EQ(document::find_at(only(kQueues), {"spec", "cohortName"}), nullptr);
  EXPECT_EQ(merge(kQueues, "cq", "{spec: {cohort: few}}"), "");
  EXPECT_EQ(text_at(only(newer), {"spec", "cohortName"}), "few");
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

}  // namespace
}  // namespace loadline::embedded

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/embedded/testing/kueue_fixture.h"

namespace loadline::embedded {
namespace {

using testing::KueueTest;
using testing::kWorkloads;
using Value = document::Value;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Jobs of other kinds than Job, with their operators.
class KueueKindsTest : public KueueTest {
 protected:
  static std::string pod(const std::string& container = "c") {
    return fmt::format(
        "{{metadata: {{annotations: {{loadline.dev/run-time: 30s}}}}, spec: {{containers: [{{name: {}, "
        "image: i, resources: {{requests: {{cpu: '1'}}}}}}]}}}}",
        container);
  }
  static std::string object(const std::string& version, const std::string& kind, const std::string& spec) {
    return fmt::format(
        "{{apiVersion: {}, kind: {}, metadata: {{name: it, namespace: default, labels: "
        "{{kueue.x-k8s.io/queue-name: team}}}}, spec: {{{}}}}}",
        version, kind, spec);
  }
  /// It is held, and runs where it is admitted.
  void expect_held_and_run(const kube::ResourceReference& of, const std::string& text, document::Names suspend,
                           int running) {
    start_with_queues();
    apply(of, text);
    EXPECT_EQ(document::value_at(only(of), suspend), Value(true));
    EXPECT_THAT(pods(), IsEmpty());
    ASSERT_EQ(admit(), "");
    EXPECT_EQ(document::value_at(only(of), suspend), Value(false));
    loop_.advance(Duration::seconds(10));
    EXPECT_EQ(pods()["Running on n1"], running) << ::testing::PrintToString(pods());
    EXPECT_THAT(list(kWorkloads), SizeIs(1)) << "what it made has none of its own";
  }
  void run_job_set() {
    expect_held_and_run({"jobset.x-k8s.io", "v1alpha2", "jobsets", "default"},
                        object("jobset.x-k8s.io/v1alpha2", "JobSet",
                               "replicatedJobs: [{name: w, replicas: 2, template: {spec: {parallelism: 1, completions: "
                               "1, template: " +
                                   pod() + "}}}]"),
                        {"spec", "suspend"}, 2);
  }
};

TEST_F(KueueKindsTest, AJobSet) {
  run_job_set();
  EXPECT_TRUE(is_true(only(kWorkloads), "PodsReady"));
  loop_.advance(Duration::seconds(60));
  EXPECT_TRUE(is_true(only(kWorkloads), "Finished"));
}

TEST_F(KueueKindsTest, AJobSetThatIsEvictedRunsAgain) {
  run_job_set();
  ASSERT_EQ(evict(), "");
  loop_.advance(Duration::seconds(40));
  EXPECT_THAT(pods(), IsEmpty());
  EXPECT_FALSE(is_true(only(kWorkloads), "QuotaReserved"));
  ASSERT_EQ(admit(), "");
  loop_.advance(Duration::seconds(10));
  EXPECT_EQ(pods()["Running on n1"], 2);
}

TEST_F(KueueKindsTest, APyTorchJob) {
  expect_held_and_run({"kubeflow.org", "v1", "pytorchjobs", "default"},
                      object("kubeflow.org/v1", "PyTorchJob",
                             "pytorchReplicaSpecs: {Master: {replicas: 1, template: " + pod("pytorch") +
                                 "}, Worker: {replicas: 2, template: " + pod("pytorch") + "}}"),
                      {"spec", "runPolicy", "suspend"}, 3);
  EXPECT_TRUE(is_true(only(kWorkloads), "PodsReady"));
  loop_.advance(Duration::seconds(60));
  EXPECT_TRUE(is_true(only(kWorkloads), "Finished"));
}

TEST_F(KueueKindsTest, AnMpiJob) {
  expect_held_and_run({"kubeflow.org", "v2beta1", "mpijobs", "default"},
                      object("kubeflow.org/v2beta1", "MPIJob",
                             "mpiReplicaSpecs: {Launcher: {replicas: 1, template: " + pod() +
                                 "}, Worker: {replicas: 2, template: " + pod() + "}}"),
                      {"spec", "runPolicy", "suspend"}, 3);
}

TEST_F(KueueKindsTest, ARayCluster) {
  expect_held_and_run(
      {"ray.io", "v1", "rayclusters", "default"},
      object("ray.io/v1", "RayCluster",
             "headGroupSpec: {rayStartParams: {}, template: " + pod() +
                 "}, workerGroupSpecs: [{groupName: small, replicas: 1, minReplicas: 1, maxReplicas: 1, "
                 "rayStartParams: {}, template: " +
                 pod() + "}]"),
      {"spec", "suspend"}, 2);
}

TEST_F(KueueKindsTest, ARayJob) {
  expect_held_and_run(
      {"ray.io", "v1", "rayjobs", "default"},
      object("ray.io/v1", "RayJob",
             "entrypoint: python x.py, shutdownAfterJobFinishes: true, rayClusterSpec: {headGroupSpec: "
             "{rayStartParams: {}, template: " +
                 pod() +
                 "}, workerGroupSpecs: [{groupName: small, replicas: 1, minReplicas: 1, maxReplicas: 1, "
                 "rayStartParams: {}, template: " +
                 pod() + "}]}"),
      {"spec", "suspend"}, 2);
  EXPECT_THAT(document::items_at(only(kWorkloads), {"spec", "podSets"}), SizeIs(3));
}

}  // namespace
}  // namespace loadline::embedded

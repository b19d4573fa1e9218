#include "hosts/operators/training_operator/training_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "hosts/controllers/testing/test_cluster.h"
#include "objects/kube/core/service.h"
#include "objects/kube/kubeflow/training_job.h"

namespace loadline::operators {
namespace {

using document::Value;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Value parsed_yaml(const std::string& text) { return document::read_yaml(text, "test").documents.at(0); }

/// A PyTorchJob "bert".
class TrainingJobTest : public ::testing::Test {
 protected:
  TrainingJobTest() {
    for (auto& controller : make_training_controllers()) cluster_.add(std::move(controller));
  }

  /// With one master and two workers; `worker` is what their replicas say besides.
  void make(const std::string& run_policy = {}, const std::string& worker = {}) {
    cluster_.apply(
        "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: bert, uid: bert-uid}, spec: "
        "{runPolicy: {" +
        run_policy + "}, pytorchReplicaSpecs: {Master: {replicas: 1, " + pods() + "}, Worker: {replicas: 2, " + worker +
        pods() + "}}}}");
    cluster_.settle();
  }
  static std::string pods() { return "template: {spec: {containers: [{name: pytorch, image: i}]}}"; }

  std::vector<std::string> pod_names() const {
    std::vector<std::string> names;
    for (const auto& pod : cluster_.all<kube::Pod>()) names.push_back(pod->metadata().name);
    return names;
  }
  void end(const std::string& pod, int code) {
    cluster_.set<kube::Pod>(pod, {"status"},
                            parsed_yaml("{phase: " + std::string(code == 0 ? "Succeeded" : "Failed") +
                                        ", containerStatuses: [{name: pytorch, state: {terminated: {exitCode: " +
                                        std::to_string(code) + "}}}]}"));
    cluster_.settle();
  }
  void run() {
    cluster_.run_pods();
    cluster_.settle();
  }
  const kube::TrainingJobStatus& status() const { return cluster_.get<kube::PyTorchJob>("bert")->view.status; }
  /// "Running", "not Running".
  std::vector<std::string> conditions() const {
    std::vector<std::string> all;
    for (const auto& each : status().conditions) all.push_back((each.status == "True" ? "" : "not ") + each.type);
    return all;
  }
  /// "1 active, 0 succeeded, 0 failed".
  std::string counts(const std::string& role) const {
    const kube::TrainingReplicaStatus& of = status().replicas.at(role);
    return std::to_string(of.active) + " active, " + std::to_string(of.succeeded) + " succeeded, " +
           std::to_string(of.failed) + " failed";
  }

  controllers::testing::TestCluster cluster_;
};

TEST_F(TrainingJobTest, MakesAPodAndAServiceOfEachReplica) {
  make();
  EXPECT_THAT(pod_names(), ElementsAre("bert-master-0", "bert-worker-0", "bert-worker-1"));
  EXPECT_EQ(cluster_.all<kube::Service>().size(), 3U);
  const auto worker = cluster_.get<kube::Pod>("bert-worker-1");
  EXPECT_EQ(worker->metadata().controller()->uid, "bert-uid");
  EXPECT_EQ(document::text_at(worker->document, {"spec", "restartPolicy"}), "OnFailure");
  const auto service = cluster_.get<kube::Service>("bert-worker-1");
  EXPECT_EQ(service->view.selector.at("training.kubeflow.org/replica-index"), "1");
  EXPECT_THAT(conditions(), ElementsAre("Created"));
  EXPECT_THAT(cluster_.events, Contains("Normal SuccessfulCreatePod Created pod: bert-worker-1"));
}

TEST_F(TrainingJobTest, SucceedsWithItsMaster) {
  make();
  run();
  EXPECT_THAT(conditions(), ElementsAre("Created", "Running"));
  end("bert-worker-0", 0);
  EXPECT_EQ(counts("Worker"), "1 active, 1 succeeded, 0 failed");
  end("bert-master-0", 0);
  EXPECT_THAT(conditions(), ElementsAre("Created", "not Running", "Succeeded"));
  EXPECT_TRUE(status().completion_time);
  EXPECT_THAT(pod_names(), ElementsAre("bert-master-0", "bert-worker-0", "bert-worker-1")) << "nobody said to clean up";
  EXPECT_EQ(counts("Worker"), "0 active, 2 succeeded, 0 failed") << "what ran counts as done";
}

TEST_F(TrainingJobTest, CleansUpAsItIsTold) {
  make("cleanPodPolicy: Running");
  run();
  end("bert-worker-0", 0);
  end("bert-master-0", 0);
  EXPECT_THAT(pod_names(), ElementsAre("bert-master-0", "bert-worker-0"));
}

TEST_F(TrainingJobTest, MakesFailedReplicasAnew) {
  make();
  run();
  end("bert-worker-1", 1);
  EXPECT_THAT(conditions(), ElementsAre("Created", "Running")) << "the master runs";
  EXPECT_THAT(cluster_.events, Contains("Warning PyTorchJobRestarting job bert is restarting because Worker replica(s) "
                                        "failed."));
  const auto again = cluster_.get<kube::Pod>("bert-worker-1");
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->view.status.phase, kube::PodPhase::kPending);
}

TEST_F(TrainingJobTest, AnExitCodeSaysWhetherItMakesSenseToTryAgain) {
  make({}, "restartPolicy: ExitCode, ");
  EXPECT_EQ(document::text_at(cluster_.get<kube::Pod>("bert-worker-0")->document, {"spec", "restartPolicy"}), "Never");
  run();
  end("bert-worker-0", 137);
  EXPECT_EQ(cluster_.get<kube::Pod>("bert-worker-0")->view.status.phase, kube::PodPhase::kPending) << "made anew";
  run();
  end("bert-worker-1", 2);
  EXPECT_THAT(conditions(), Contains("Failed"));
  EXPECT_THAT(cluster_.events, Contains(HasSubstr("job \"bert\" is failing because \"Worker\" replica(s) failed.")));
}

TEST_F(TrainingJobTest, NoLimitOfRestartsIsExceeded) {
  make("backoffLimit: 0");
  run();
  end("bert-worker-0", 1);
  EXPECT_THAT(conditions(), Contains("Failed"));
  EXPECT_THAT(pod_names(), IsEmpty());
  EXPECT_EQ(status().conditions.back().message,
            "Job bert has failed because it has reached the specified backoff limit");
}

TEST_F(TrainingJobTest, HasADeadline) {
  make("activeDeadlineSeconds: 60");
  run();
  cluster_.wait(Duration::seconds(59));
  EXPECT_THAT(conditions(), Contains("Running"));
  cluster_.wait(Duration::seconds(2));
  EXPECT_THAT(conditions(), Contains("Failed"));
}

TEST_F(TrainingJobTest, IsGoneWhenItsTimeIsOver) {
  make("ttlSecondsAfterFinished: 30");
  run();
  end("bert-master-0", 0);
  cluster_.wait(Duration::seconds(29));
  EXPECT_NE(cluster_.get<kube::PyTorchJob>("bert"), nullptr);
  cluster_.wait(Duration::seconds(2));
  EXPECT_EQ(cluster_.get<kube::PyTorchJob>("bert"), nullptr);
}

TEST_F(TrainingJobTest, HasNoPodsWhileItIsSuspended) {
  make();
  run();
  cluster_.set<kube::PyTorchJob>("bert", {"spec", "runPolicy", "suspend"}, Value(true));
  cluster_.settle();
  EXPECT_THAT(pod_names(), IsEmpty());
  EXPECT_THAT(conditions(), ElementsAre("Created", "not Running", "Suspended"));
  cluster_.set<kube::PyTorchJob>("bert", {"spec", "runPolicy", "suspend"}, Value(false));
  cluster_.settle();
  EXPECT_EQ(pod_names().size(), 3U);
  EXPECT_THAT(conditions(), Contains("not Suspended"));
}

TEST_F(TrainingJobTest, FollowsItsReplicas) {
  make();
  run();
  cluster_.set<kube::PyTorchJob>("bert", {"spec", "pytorchReplicaSpecs", "Worker", "replicas"}, Value(std::int64_t{1}));
  cluster_.settle();
  EXPECT_THAT(pod_names(), ElementsAre("bert-master-0", "bert-worker-0"));
  EXPECT_EQ(cluster_.get<kube::Service>("bert-worker-1"), nullptr);
}

TEST_F(TrainingJobTest, LeavesWhatOthersManage) {
  make("managedBy: kueue.x-k8s.io/multikueue");
  EXPECT_THAT(pod_names(), IsEmpty());
}

TEST_F(TrainingJobTest, MakesABatchOfPodsHoweverManyAreWanted) {
  cluster_.allow_creations(5);
  cluster_.apply(
      "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: bert, uid: bert-uid}, spec: "
      "{pytorchReplicaSpecs: {Worker: {replicas: 2147483647, " +
      pods() + "}}}}");
  cluster_.settle();
  EXPECT_THAT(pod_names(),
              ElementsAre("bert-worker-0", "bert-worker-1", "bert-worker-2", "bert-worker-3", "bert-worker-4"));
  EXPECT_LT(cluster_.tried, 20U);
}

TEST_F(TrainingJobTest, MakesNoPodsWhoseListsOfAllWouldBeTooLarge) {
  for (const auto& [kind, field, container] :
       {std::tuple("TFJob", "tfReplicaSpecs", "tensorflow"), std::tuple("XGBoostJob", "xgbReplicaSpecs", "xgboost")}) {
    cluster_.apply("{apiVersion: kubeflow.org/v1, kind: " + std::string(kind) +
                   ", metadata: {name: all, uid: all-uid}, spec: {" + field +
                   ": {Worker: {replicas: 2147483647, template: {spec: {containers: [{name: " + container +
                   ", image: i}]}}}}}}");
    cluster_.settle();
  }
  EXPECT_THAT(pod_names(), IsEmpty());
  EXPECT_THAT(cluster_.all<kube::Service>(), IsEmpty());
  EXPECT_THAT(cluster_.events,
              Contains("Warning FailedCreatePod Error creating: each pod of TFJob default/all gets a list of all "
                       "2147483647 pods, and with it would be larger than an object may be (1048576 bytes)"));
}

}  // namespace
}  // namespace loadline::operators

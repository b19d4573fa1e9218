#include "hosts/operators/kuberay/ray_cluster_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "hosts/controllers/testing/test_cluster.h"
#include "objects/kube/core/service.h"
#include "objects/kube/ray/ray_cluster.h"

namespace loadline::operators {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class RayClusterControllerTest : public ::testing::Test {
 protected:
  RayClusterControllerTest() { cluster_.add(make_ray_cluster_controller()); }

  void make(const std::string& more = "") {
    cluster_.apply(
        "{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: llm, namespace: default, uid: llm-uid, generation: "
        "1}, spec: {" +
        more +
        "headGroupSpec: {rayStartParams: {}, template: {spec: {containers: [{name: ray, image: ray}]}}}, "
        "workerGroupSpecs: [{groupName: gpu, replicas: 2, minReplicas: 0, maxReplicas: 4, rayStartParams: {}, "
        "template: {spec: {containers: [{name: ray, image: ray}]}}}]}}");
    cluster_.settle();
  }
  void run_pods() {
    cluster_.run_pods();
    cluster_.settle();
  }
  [[nodiscard]] auto pods() const { return cluster_.all<kube::Pod>(); }
  [[nodiscard]] std::string state() const { return cluster_.get<kube::RayCluster>("llm")->view.status.state; }

  controllers::testing::TestCluster cluster_;
};

TEST_F(RayClusterControllerTest, GetsAHeadWorkersAndAServiceAndIsReadyOnceAllRun) {
  make();
  ASSERT_THAT(pods(), SizeIs(3));
  EXPECT_NE(cluster_.get<kube::Service>("llm-head-svc"), nullptr);
  EXPECT_EQ(state(), "");
  run_pods();
  EXPECT_EQ(state(), "ready");
  EXPECT_EQ(cluster_.get<kube::RayCluster>("llm")->view.status.ready_workers, 2);
  EXPECT_THAT(cluster_.events, Contains(HasSubstr("Normal CreatedHeadPod Created head Pod default/llm-head-")));
}

TEST_F(RayClusterControllerTest, ReplacesAWorkerThatFailedInItsPlace) {
  make();
  run_pods();
  const std::string failed = pods().front()->metadata().name;
  cluster_.set<kube::Pod>(failed, {"status", "phase"}, document::Value("Failed"));
  cluster_.settle();
  EXPECT_EQ(cluster_.get<kube::Pod>(failed), nullptr);
  EXPECT_THAT(pods(), SizeIs(3));
}

TEST_F(RayClusterControllerTest, KeepsOneHeadIfAnAnswerWasLostAndTwoWereMade) {
  make();
  const auto heads = [this] {
    std::vector<std::string> names;
    for (const auto& pod : pods()) {
      if (pod->metadata().labels.at("ray.io/node-type") == "head") names.push_back(pod->metadata().name);
    }
    return names;
  };
  const std::vector<std::string> first = heads();
  ASSERT_THAT(first, SizeIs(1));
  document::Value other = cluster_.get<kube::Pod>(first[0])->document;
  for (const char* field : {"uid", "resourceVersion"}) other = document::without_at(other, {"metadata", field});
  other = document::with_at(other, {"metadata", "creationTimestamp"}, document::Value("2026-02-01T00:00:00Z"));
  cluster_.apply(
      document::write_json(document::with_at(other, {"metadata", "name"}, document::Value("llm-head-another"))));
  cluster_.settle();
  EXPECT_EQ(heads(), first);
  run_pods();
  EXPECT_EQ(state(), "ready");
}

TEST_F(RayClusterControllerTest, LosesItsPodsWhileItIsSuspendedAndGetsThemBack) {
  make();
  run_pods();
  cluster_.set<kube::RayCluster>("llm", {"spec", "suspend"}, document::Value(true));
  cluster_.settle();
  EXPECT_THAT(pods(), SizeIs(0));
  EXPECT_EQ(state(), "suspended");
  cluster_.set<kube::RayCluster>("llm", {"spec", "suspend"}, document::Value(false));
  cluster_.settle();
  EXPECT_THAT(pods(), SizeIs(3));
  run_pods();
  EXPECT_EQ(state(), "ready");
}

TEST_F(RayClusterControllerTest, OfAnInvalidSpecMakesNothingAndSaysSo) {
  make("enableInTreeAutoscaling: true, ");
  cluster_.apply(
      "{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: bad, namespace: default, uid: bad-uid}, spec: "
      "{headGroupSpec: "
      "{rayStartParams: {}, template: {spec: {containers: []}}}}}");
  cluster_.settle();
  EXPECT_THAT(pods(), SizeIs(3));
  EXPECT_THAT(cluster_.events, Contains("Warning InvalidRayClusterSpec The RayCluster spec is invalid default/bad: "
                                        "headGroupSpec should have at least one container"));
}

TEST_F(RayClusterControllerTest, MakesABatchOfWorkersOfAllGroupsHoweverManyAreWanted) {
  cluster_.allow_creations(40);
  std::string groups;
  for (int i = 0; i < 8; ++i) {
    groups += (i == 0 ? "" : ", ") + std::string("{groupName: g") + std::to_string(i) +
              ", replicas: 2147483647, minReplicas: 0, maxReplicas: 2147483647, rayStartParams: {}, template: {spec: "
              "{containers: [{name: ray, image: ray}]}}}";
  }
  cluster_.apply(
      "{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: llm, namespace: default, uid: llm-uid, generation: "
      "1}, spec: {headGroupSpec: {rayStartParams: {}, template: {spec: {containers: [{name: ray, image: ray}]}}}, "
      "workerGroupSpecs: [" +
      groups + "]}}");
  cluster_.settle();
  EXPECT_LT(pods().size(), 40U);
  EXPECT_LT(cluster_.tried, 200U);
}

TEST_F(RayClusterControllerTest, MakesNoReplicaOfMoreHostsThanThereAreInASlice) {
  cluster_.apply(
      "{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: llm, namespace: default, uid: llm-uid, generation: "
      "1}, spec: {headGroupSpec: {rayStartParams: {}, template: {spec: {containers: [{name: ray, image: ray}]}}}, "
      "workerGroupSpecs: [{groupName: tpu, numOfHosts: 2147483647, replicas: 1, minReplicas: 0, maxReplicas: 1, "
      "rayStartParams: {}, template: {spec: {containers: [{name: ray, image: ray}]}}}]}}");
  cluster_.settle();
  EXPECT_THAT(pods(), SizeIs(0));
  EXPECT_THAT(cluster_.events, Contains(HasSubstr("worker group tpu has numOfHosts 2147483647, and no replica is made "
                                                  "of more than 4096 hosts")));
}

}  // namespace
}  // namespace loadline::operators

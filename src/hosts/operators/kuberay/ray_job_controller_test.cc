#include "hosts/operators/kuberay/ray_job_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "hosts/controllers/testing/test_cluster.h"
#include "hosts/operators/kuberay/ray_cluster_controller.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/core/service.h"
#include "objects/kube/ray/ray_job.h"

namespace loadline::operators {
namespace {

using document::Value;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

class RayJobControllerTest : public ::testing::Test {
 protected:
  RayJobControllerTest() {
    cluster_.add(make_ray_cluster_controller());
    cluster_.add(make_ray_job_controller());
  }

  void make(const std::string& more, const std::string& annotations = "{}") {
    cluster_.apply(
        "{apiVersion: ray.io/v1, kind: RayJob, metadata: {name: tune, namespace: default, uid: tune-uid, "
        "annotations: " +
        annotations + "}, spec: {entrypoint: python tune.py, " + more +
        ", rayClusterSpec: {headGroupSpec: {rayStartParams: {}, template: {spec: {containers: [{name: ray, "
        "image: ray}]}}}}}}");
    cluster_.settle();
    cluster_.run_pods();
    cluster_.settle();
  }
  [[nodiscard]] const kube::RayJobStatus& status() const { return cluster_.get<kube::RayJob>("tune")->view.status; }
  void set_submitter(const std::string& yaml) {
    cluster_.set<kube::Job>("tune", {"status"}, document::read_yaml(yaml, "test").documents.at(0));
    cluster_.settle();
  }
  void later(std::int64_t seconds) { cluster_.wait(Duration::seconds(seconds)); }

  controllers::testing::TestCluster cluster_;
};

TEST_F(RayJobControllerTest, IsSubmittedOnceItsClusterIsReadyAndDoesWhatItsSubmitterDoes) {
  make("submissionMode: K8sJobMode");
  ASSERT_NE(cluster_.get<kube::Job>("tune"), nullptr);
  EXPECT_EQ(status().deployment_status, "Running");
  EXPECT_EQ(status().job_status, "");
  EXPECT_THAT(status().cluster_name, StartsWith("tune-"));
  EXPECT_NE(cluster_.get<kube::Service>("tune-head-svc"), nullptr);
  const auto submitter = cluster_.get<kube::Job>("tune");
  const Value args = document::find_at(submitter->document, {"spec", "template", "spec", "containers"})
                         ->array()[0]
                         .find("args")
                         ->array()[0];
  EXPECT_THAT(std::string(args.string()), HasSubstr("--submission-id " + status().job_id + " -- python tune.py ;"));
  set_submitter("{ready: 1, active: 1}");
  EXPECT_EQ(status().job_status, "RUNNING");
  set_submitter("{conditions: [{type: Complete, status: 'True', lastTransitionTime: '2026-01-01T00:01:00Z'}]}");
  EXPECT_EQ(status().deployment_status, "Complete");
  EXPECT_EQ(status().job_status, "SUCCEEDED");
  EXPECT_EQ(status().succeeded, 1);
}

TEST_F(RayJobControllerTest, IsTriedAgainWithANewClusterAsOftenAsItMay) {
  make("submissionMode: K8sJobMode, backoffLimit: 1");
  const std::string first = status().cluster_name;
  const std::string failure =
      "{conditions: [{type: Failed, status: 'True', reason: BackoffLimitExceeded, lastTransitionTime: "
      "'2026-01-01T00:00:00Z'}]}";
  set_submitter(failure);
  EXPECT_EQ(status().deployment_status, "Initializing");
  EXPECT_EQ(status().failed, 1);
  EXPECT_NE(status().cluster_name, first);
  EXPECT_THAT(cluster_.all<kube::RayCluster>(), SizeIs(1));
  cluster_.run_pods();
  cluster_.settle();
  set_submitter(failure);
  EXPECT_EQ(status().deployment_status, "Failed");
  EXPECT_EQ(status().reason, "AppFailed");
  EXPECT_EQ(status().failed, 2);
}

TEST_F(RayJobControllerTest, ThatKubeRaySubmitsRunsForAWhile) {
  make("submissionMode: HTTPMode, shutdownAfterJobFinishes: true");
  EXPECT_EQ(status().job_status, "RUNNING");
  later(9);
  EXPECT_EQ(status().job_status, "RUNNING");
  later(1);
  EXPECT_EQ(status().job_status, "SUCCEEDED");
  EXPECT_EQ(status().deployment_status, "Complete");
  EXPECT_THAT(cluster_.all<kube::RayCluster>(), SizeIs(0)) << "which is shut down";
}

TEST_F(RayJobControllerTest, ThatKubeRaySubmitsFailsWhereItsAuthorSaysSo) {
  make("submissionMode: HTTPMode", "{loadline.dev/run-time: 1m, loadline.dev/exit-code: '1'}");
  later(59);
  EXPECT_EQ(status().job_status, "RUNNING");
  later(1);
  EXPECT_EQ(status().deployment_status, "Failed");
}

TEST_F(RayJobControllerTest, DoesWhatPeopleSayThatRaySays) {
  cluster_.apply(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: ray-dashboard, namespace: default, uid: said-uid}, data: "
      "{status: FAILED, message: out of memory}}");
  make("submissionMode: HTTPMode");
  EXPECT_EQ(status().deployment_status, "Failed");
  EXPECT_EQ(status().message, "out of memory");
}

TEST_F(RayJobControllerTest, LosesItsClusterWhileItIsSuspended) {
  make("submissionMode: HTTPMode, shutdownAfterJobFinishes: true");
  cluster_.set<kube::RayJob>("tune", {"spec", "suspend"}, Value(true));
  cluster_.settle();
  EXPECT_EQ(status().deployment_status, "Suspended");
  EXPECT_THAT(cluster_.all<kube::RayCluster>(), SizeIs(0));
  cluster_.set<kube::RayJob>("tune", {"spec", "suspend"}, Value(false));
  cluster_.settle();
  EXPECT_EQ(status().deployment_status, "Initializing");
  EXPECT_THAT(cluster_.all<kube::RayCluster>(), SizeIs(1));
}

TEST_F(RayJobControllerTest, OfAnInvalidSpecFailsAndSaysWhy) {
  make("submissionMode: InteractiveMode, backoffLimit: 2");
  EXPECT_EQ(status().deployment_status, "ValidationFailed");
  EXPECT_THAT(cluster_.events, Contains("Warning InvalidRayJobSpec default/tune: The RayJob spec is invalid: "
                                        "BackoffLimit is incompatible with InteractiveMode"));
  EXPECT_THAT(cluster_.all<kube::RayCluster>(), SizeIs(0));
}

}  // namespace
}  // namespace loadline::operators

// Pods in a cluster with Kueue's queues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/embedded/testing/kueue_fixture.h"

namespace loadline::embedded {
namespace {

using testing::kPods;
using testing::KueueTest;
using testing::kWorkloads;
using Value = document::Value;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

/// Pods that wait by themselves.
class KueuePodsTest : public KueueTest {
 protected:
  void add_pod(const std::string& name, const std::string& more_annotations = {}, const std::string& labels = {}) {
    apply(kPods,
          fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: {}, namespace: default, labels: "
                      "{{kueue.x-k8s.io/queue-name: team{}}}, annotations: {{loadline.dev/run-time: 30s{}}}}}, spec: "
                      "{{restartPolicy: Never, containers: [{{name: c, image: i, resources: {{requests: {{cpu: "
                      "'1'}}}}}}]}}}}",
                      name, labels, more_annotations));
  }
  void add_group(int pods) {
    for (int i = 0; i < pods; ++i) {
      add_pod(fmt::format("p{}", i), ", kueue.x-k8s.io/pod-group-total-count: '2'",
              ", kueue.x-k8s.io/pod-group-name: gang");
    }
  }
};

TEST_F(KueuePodsTest, APodStartsWhenItIsAdmitted) {
  start_with_queues();
  add_pod("p");
  EXPECT_THAT(pods(), Contains(Pair("Pending on ", 1)));
  EXPECT_THAT(workload_name(), ::testing::StartsWith("pod-p-"));
  ASSERT_EQ(admit(), "");
  EXPECT_THAT(pods(), Contains(Pair("Running on n1", 1)));
  loop_.advance(Duration::seconds(60));
  EXPECT_TRUE(is_true(only(kWorkloads), "Finished"));
  kube::ResourceReference one = kPods;
  one.name = "p";
  client_->remove(one, {}, [](const kube::Answer<Value>&) {});
  loop_.advance(Duration::seconds(60));
  EXPECT_THAT(list(kPods), IsEmpty()) << "nothing holds it";
  EXPECT_THAT(list(kWorkloads), IsEmpty());
}

TEST_F(KueuePodsTest, AnEvictedPodIsDeleted) {
  start_with_queues();
  add_pod("p");
  ASSERT_EQ(admit(), "");
  ASSERT_EQ(evict(), "");
  loop_.advance(Duration::seconds(60));
  EXPECT_THAT(list(kPods), IsEmpty());
  EXPECT_THAT(list(kWorkloads), IsEmpty()) << "nobody could use it again";
}

TEST_F(KueuePodsTest, AGroupIsOneWorkloadOnceItIsWhole) {
  start_with_queues();
  add_group(1);
  EXPECT_THAT(list(kWorkloads), IsEmpty());
  EXPECT_THAT(events("ErrWorkloadCompose"), Contains("'gang' group has fewer runnable pods than expected"));
  add_pod("p1", ", kueue.x-k8s.io/pod-group-total-count: '2'", ", kueue.x-k8s.io/pod-group-name: gang");
  EXPECT_EQ(workload_name(), "gang");
  EXPECT_THAT(document::items_at(only(kWorkloads), {"metadata", "ownerReferences"}), SizeIs(2));
  EXPECT_THAT(pods(), Contains(Pair("Pending on ", 2)));
  ASSERT_EQ(admit(), "");
  EXPECT_THAT(pods(), Contains(Pair("Running on n1", 2)));
  loop_.advance(Duration::seconds(60));
  EXPECT_TRUE(is_true(only(kWorkloads), "Finished"));
}

TEST_F(KueuePodsTest, AGroupWaitsForTheReplacementOfAFailedPod) {
  start_with_queues();
  add_group(2);
  ASSERT_EQ(admit(), "");
  kube::ResourceReference one = kPods;
  one.name = "p0";
  client_->remove(one, {}, [](const kube::Answer<Value>&) {});
  loop_.advance(Duration::seconds(5));
  EXPECT_TRUE(is_true(only(kWorkloads), "WaitingForReplacementPods"));
  add_pod("p2", ", kueue.x-k8s.io/pod-group-total-count: '2'", ", kueue.x-k8s.io/pod-group-name: gang");
  EXPECT_FALSE(is_true(only(kWorkloads), "WaitingForReplacementPods"));
  EXPECT_EQ(pods()["Running on n1"], 2) << "it takes the other's place";
}

TEST_F(KueuePodsTest, MoreThanAGroupHasAreDeleted) {
  start_with_queues();
  add_group(3);
  EXPECT_THAT(list(kPods), SizeIs(2));
  EXPECT_THAT(events("ExcessPodDeleted"), SizeIs(1));
}

TEST_F(KueuePodsTest, ADeploymentsPodsWaitOneByOne) {
  start_with_queues();
  apply({"apps", "v1", "deployments", "default"},
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default, labels: "
        "{kueue.x-k8s.io/queue-name: team}}, spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: "
        "{metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "
        "'1'}}}]}}}}");
  EXPECT_THAT(list(kWorkloads), SizeIs(2));
  EXPECT_THAT(pods(), Contains(Pair("Pending on ", 2)));
}

}  // namespace
}  // namespace loadline::embedded

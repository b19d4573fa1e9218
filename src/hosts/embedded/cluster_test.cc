#include "hosts/embedded/cluster.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <new>
#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "hosts/embedded/testing/cluster_fixture.h"

namespace loadline::embedded {
namespace {

using document::Value;
using testing::ClusterTest;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::node;
using ::testing::UnorderedElementsAre;
using testing::yaml;

constexpr const char* kDeployment = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: default}}
spec:
  replicas: {}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      containers: [{{name: app, image: nginx, resources: {{requests: {{cpu: "1"}}}}}}]
)";

TEST_F(ClusterTest, RunsADeployment) {
  start({node("a"), node("b")});
  apply({"apps", "v1", "deployments", "default"}, fmt::format(kDeployment, 4));
  loop_.advance(Duration::seconds(1));
  EXPECT_THAT(pods(), UnorderedElementsAre(std::pair("Running on a", 2), std::pair("Running on b", 2)));
  EXPECT_EQ(events("Scheduled").size(), 4U);
  EXPECT_EQ(events("SuccessfulCreate").size(), 4U);
  EXPECT_EQ(events("ScalingReplicaSet").size(), 1U);
  const std::vector<Value> deployments = list({"apps", "v1", "deployments"});
  EXPECT_EQ(document::find_at(deployments[0], {"status", "readyReplicas"})->integer(), 4);
  EXPECT_TRUE(cluster_->is_idle());
}

TEST_F(ClusterTest, SaysWhyAPodWaitsAndStartsItWhenItCan) {
  start({node("a")});
  apply({"apps", "v1", "deployments", "default"}, fmt::format(kDeployment, 9));
  loop_.advance(Duration::seconds(1));
  EXPECT_THAT(pods(), UnorderedElementsAre(std::pair("Running on a", 8), std::pair("Pending on ", 1)));
  EXPECT_THAT(events("FailedScheduling"),
              ElementsAre("0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 "
                          "nodes are available: 1 No preemption victims found for incoming pod."));
  apply({"", "v1", "nodes"}, document::write_json(node("b")));
  loop_.advance(Duration::seconds(1));
  EXPECT_THAT(pods(), UnorderedElementsAre(std::pair("Running on a", 8), std::pair("Running on b", 1)));
}

/// The API server refuses each with another name in its answer.
TEST_F(ClusterTest, TriesARayHeadThatIsRefusedLessAndLessOften) {
  start({node("a")});
  apply({"ray.io", "v1", "rayclusters", "default"},
        "{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: ray}, spec: {headGroupSpec: {rayStartParams: {}, "
        "template: {spec: {containers: [{name: head, image: ray}, {name: No Name, image: ray}]}}}}}");
  const std::uint64_t before =
      std::stoull(std::string(text_at(list({"", "v1", "nodes"}).at(0), {"metadata", "resourceVersion"})));
  loop_.advance(Duration::seconds(60));
  apply({"", "v1", "configmaps", "default"}, "metadata: {name: last}");
  std::uint64_t writes = 0;
  for (const Value& each : list({"", "v1", "configmaps"})) {
    if (text_at(each, {"metadata", "name"}) != "last") continue;
    writes = std::stoull(std::string(text_at(each, {"metadata", "resourceVersion"}))) - before;
  }
  EXPECT_LT(writes, 200U);
}

TEST_F(ClusterTest, PreemptsForAMoreImportantPod) {
  start({node("a", 1)});
  constexpr const char* kPod = R"(
apiVersion: v1
kind: Pod
metadata: {{name: {0}, namespace: default}}
spec:
  priorityClassName: {1}
  terminationGracePeriodSeconds: 5
  containers: [{{name: app, image: train, resources: {{limits: {{nvidia.com/gpu: 1}}}}}}]
)";
  apply({"scheduling.k8s.io", "v1", "priorityclasses"},
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: low}, value: 1}");
  apply({"scheduling.k8s.io", "v1", "priorityclasses"},
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 2}");
  apply({"", "v1", "pods", "default"}, fmt::format(fmt::runtime(kPod), "cheap", "low"));
  loop_.advance(Duration::seconds(1));
  EXPECT_THAT(pods(), ElementsAre(std::pair("Running on a", 1)));
  apply({"", "v1", "pods", "default"}, fmt::format(fmt::runtime(kPod), "dear", "high"));
  loop_.advance(Duration::seconds(30));
  const std::vector<Value> left = list({"", "v1", "pods"});
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(document::text_at(left[0], {"metadata", "name"}), "dear");
  EXPECT_EQ(document::text_at(left[0], {"status", "phase"}), "Running");
  EXPECT_EQ(events("Preempted").size(), 1U);
}

/// Simulation: such pods could neither be told of nor deleted any more, for they had two addresses.
TEST_F(ClusterTest, PodsStayOnANodeThatIsReplacedUnderItsName) {
  start({node("a")});
  const kube::ResourceReference nodes{"", "v1", "nodes"};
  const kube::ResourceReference pod{"", "v1", "pods", "default", "web"};
  apply({"", "v1", "pods", "default"}, "{metadata: {name: web}, spec: {containers: [{name: app, image: app}]}}");
  loop_.advance(Duration::seconds(1));
  const auto remove = [&](const kube::ResourceReference& of) {
    client_->remove(of, {}, [](const kube::Answer<Value>&) {});
    loop_.run_until_idle();
  };
  remove({"", "v1", "nodes", "", "a"});
  client_->create(nodes, node("a"), [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer); });
  loop_.advance(Duration::seconds(60));
  EXPECT_THAT(pods(), ElementsAre(std::pair("Running on a", 1)));
  const Value addresses = *document::find_at(list(nodes)[0], {"status", "addresses"});
  const Value hosts = *document::find_at(list({"", "v1", "pods"})[0], {"status", "hostIPs"});
  ASSERT_EQ(hosts.array().size(), 1U);
  EXPECT_EQ(document::text_at(hosts.array()[0], {"ip"}), document::text_at(addresses.array()[0], {"address"}));
  remove(pod);
  loop_.advance(Duration::seconds(60));
  EXPECT_THAT(pods(), IsEmpty());
}

/// As on a real cluster: managed fields and events name the kubelet.
TEST_F(ClusterTest, MachinesWriteAsKubelets) {
  start({node("a")});
  apply({"", "v1", "pods", "default"}, "{metadata: {name: web}, spec: {containers: [{name: app, image: app}]}}");
  loop_.advance(Duration::seconds(10));
  const Value pod = list({"", "v1", "pods"})[0];
  const Value* managers = document::find_at(pod, {"metadata", "managedFields"});
  ASSERT_NE(managers, nullptr);
  EXPECT_TRUE(std::ranges::any_of(managers->array(), [](const Value& entry) {
    return document::text_at(entry, {"manager"}) == "kubelet" && document::text_at(entry, {"subresource"}) == "status";
  }));
  std::size_t said = 0;
  for (const Value& event : list({"", "v1", "events"})) {
    if (document::text_at(event, {"source", "component"}) != "kubelet") continue;
    ++said;
    EXPECT_EQ(document::text_at(event, {"source", "host"}), "a") << document::text_at(event, {"reason"});
  }
  EXPECT_GE(said, 3U);
}

TEST_F(ClusterTest, BringsBackTheReplicaOfADeletedPod) {
  start({node("a")});
  apply({"apps", "v1", "deployments", "default"}, fmt::format(kDeployment, 2));
  loop_.advance(Duration::seconds(1));
  const std::string victim(document::text_at(list({"", "v1", "pods"})[0], {"metadata", "name"}));
  client_->remove({"", "v1", "pods", "default", victim}, {}, [](const kube::Answer<Value>&) {});
  loop_.advance(Duration::seconds(40));
  EXPECT_THAT(pods(), ElementsAre(std::pair("Running on a", 2)));
  for (const Value& pod : list({"", "v1", "pods"})) {
    EXPECT_NE(document::text_at(pod, {"metadata", "name"}), victim);
  }
}

TEST_F(ClusterTest, ATurnThatThrowsIsThatOfItsPodAlone) {
  int left = 1;
  ClusterOptions options;
  options.when_decided = [&left](const decision::PodTurn&) {
    if (left-- > 0) throw std::bad_alloc();
  };
  start({node("a")}, std::move(options));
  apply({"", "v1", "pods", "default"}, "{metadata: {name: bad}, spec: {containers: [{name: app, image: app}]}}");
  loop_.advance(Duration::seconds(1));
  apply({"", "v1", "pods", "default"}, "{metadata: {name: good}, spec: {containers: [{name: app, image: app}]}}");
  loop_.advance(Duration::seconds(1));
  EXPECT_THAT(pods(), UnorderedElementsAre(std::pair("Pending on ", 1), std::pair("Running on a", 1)));
  EXPECT_THAT(events("FailedScheduling"), ElementsAre("the scheduler failed: std::bad_alloc"));
  loop_.advance(Duration::seconds(20));
  EXPECT_THAT(pods(), ElementsAre(std::pair("Running on a", 2))) << "it has another turn";
}

/// The failed turn had chosen the only volume there is.
TEST_F(ClusterTest, ATurnThatThrowsGivesBackTheVolumesThatItChose) {
  int left = 1;
  ClusterOptions options;
  options.when_decided = [&left](const decision::PodTurn&) {
    if (left-- > 0) throw std::bad_alloc();
  };
  start({node("a")}, std::move(options));
  apply({"storage.k8s.io", "v1", "storageclasses"},
        "{metadata: {name: by-hand}, provisioner: kubernetes.io/no-provisioner, volumeBindingMode: "
        "WaitForFirstConsumer}");
  apply({"", "v1", "persistentvolumes"},
        "{metadata: {name: only}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: "
        "by-hand, hostPath: {path: /data}}}");
  for (const char* name : {"bad", "good"}) {
    apply({"", "v1", "persistentvolumeclaims", "default"},
          fmt::format("{{metadata: {{name: {}}}, spec: {{accessModes: [ReadWriteOnce], storageClassName: by-hand, "
                      "resources: {{requests: {{storage: 1Gi}}}}}}}}",
                      name));
    apply({"", "v1", "pods", "default"},
          fmt::format("{{metadata: {{name: {0}}}, spec: {{containers: [{{name: app, image: app}}], volumes: [{{name: "
                      "data, persistentVolumeClaim: {{claimName: {0}}}}}]}}}}",
                      name));
    loop_.advance(Duration::seconds(3));
  }
  EXPECT_THAT(pods(), UnorderedElementsAre(std::pair("Pending on ", 1), std::pair("Running on a", 1)));
}

}  // namespace
}  // namespace loadline::embedded

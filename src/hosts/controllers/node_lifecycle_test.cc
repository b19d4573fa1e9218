#include "hosts/controllers/node_lifecycle.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hosts/controllers/pod_garbage.h"
#include "hosts/controllers/taint_eviction.h"
#include "hosts/controllers/testing/test_cluster.h"
#include "objects/kube/core/node.h"

namespace loadline::controllers {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::TestCluster;

class NodesTest : public ::testing::Test {
 protected:
  /// A node that was heard of just now; `more` stands in its spec.
  void put_node(const std::string& name, const std::string& ready, const std::string& more = "") {
    const std::string at = "'" + format_rfc3339(cluster_.now) + "'";
    cluster_.apply("{kind: Node, apiVersion: v1, metadata: {name: " + name + ", uid: " + name + "}, spec: {" + more +
                   "}, status: {conditions: [{type: Ready, status: '" + ready + "', lastHeartbeatTime: " + at +
                   ", lastTransitionTime: '2025-12-31T00:00:00Z'}]}}");
    cluster_.settle();
  }
  void put_pod(const std::string& name, const std::string& node, const std::string& more = "") {
    cluster_.apply(
        "{kind: Pod, apiVersion: v1, metadata: {name: " + name + "}, spec: {nodeName: " + node + more +
        "}, status: {phase: Running, conditions: [{type: Ready, status: 'True'}, {type: PodScheduled, status: "
        "'True', lastTransitionTime: '" +
        format_rfc3339(cluster_.now) + "'}]}}");
    cluster_.settle();
  }
  void wait(std::int64_t seconds) { cluster_.wait(Duration::seconds(seconds)); }
  /// "node.kubernetes.io/not-ready:NoExecute".
  [[nodiscard]] std::vector<std::string> taints(const std::string& node) const {
    static constexpr const char* kEffects[] = {"", "NoSchedule", "PreferNoSchedule", "NoExecute"};
    std::vector<std::string> list;
    for (const kube::Taint& taint : cluster_.caches.of<kube::Node>().find("", node)->view.taints) {
      list.push_back(taint.key + ':' + kEffects[static_cast<std::size_t>(taint.effect)]);
    }
    return list;
  }
  [[nodiscard]] std::string ready(const std::vector<kube::Condition>& conditions) const {
    for (const kube::Condition& one : conditions) {
      if (one.type == "Ready") return one.status + (one.reason.empty() ? "" : ' ' + one.reason);
    }
    return "none";
  }
  [[nodiscard]] std::string node_ready(const std::string& node) const {
    return ready(cluster_.caches.of<kube::Node>().find("", node)->view.conditions);
  }
  [[nodiscard]] std::string pod_ready(const std::string& pod) const {
    return ready(cluster_.get<kube::Pod>(pod)->view.status.conditions);
  }

  TestCluster cluster_;
};

TEST_F(NodesTest, DeclaresSilentNodesLost) {
  cluster_.add(make_node_lifecycle({}));
  put_node("a", "True");
  put_node("b", "True");
  put_pod("web", "a");
  EXPECT_THAT(cluster_.events, Contains("Normal RegisteredNode Node a event: Registered Node a in Controller"));
  wait(50);
  EXPECT_EQ(node_ready("a"), "True");
  put_node("b", "True");
  wait(1);
  EXPECT_EQ(node_ready("a"), "Unknown NodeStatusUnknown");
  EXPECT_EQ(node_ready("b"), "True");
  EXPECT_EQ(pod_ready("web"), "False");
  EXPECT_THAT(cluster_.events, Contains("Warning NodeNotReady Node is not ready"));
  EXPECT_THAT(cluster_.events, Contains("Normal NodeNotReady Node a status is now: NodeNotReady"));
  EXPECT_THAT(taints("a"),
              ElementsAre("node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"));
  put_node("a", "True",
           "taints: [{key: node.kubernetes.io/unreachable, effect: NoExecute}, {key: mine, effect: NoExecute}]");
  EXPECT_THAT(taints("a"), ElementsAre("mine:NoExecute"));
}

TEST_F(NodesTest, TakesARenewedLeaseForASignOfLife) {
  cluster_.add(make_node_lifecycle({}));
  put_node("a", "True");
  wait(40);
  cluster_.apply(
      "{kind: Lease, apiVersion: coordination.k8s.io/v1, metadata: {name: a, namespace: kube-node-lease}, "
      "spec: {renewTime: '2026-01-01T00:00:30.000000Z'}}");
  wait(39);
  EXPECT_EQ(node_ready("a"), "True");
  wait(2);
  EXPECT_EQ(node_ready("a"), "Unknown NodeStatusUnknown");
}

TEST_F(NodesTest, EvictsFromOneNodeAfterTheOtherAndNotAtAllIfAllAreLost) {
  cluster_.add(make_node_lifecycle({}));
  for (const char* name : {"a", "b", "c", "d"}) put_node(name, "True");
  put_node("a", "False");
  put_node("b", "False");
  EXPECT_THAT(taints("a"), Contains("node.kubernetes.io/not-ready:NoExecute"));
  EXPECT_THAT(taints("b"), ElementsAre("node.kubernetes.io/not-ready:NoSchedule"));
  wait(10);
  EXPECT_THAT(taints("b"), Contains("node.kubernetes.io/not-ready:NoExecute"));
  put_node("c", "False");
  put_node("d", "False");
  wait(1);
  EXPECT_THAT(taints("a"), Not(Contains("node.kubernetes.io/not-ready:NoExecute")));
}

TEST_F(NodesTest, TaintsCordonedNodes) {
  cluster_.add(make_node_lifecycle({}));
  put_node("a", "True", "unschedulable: true");
  EXPECT_THAT(taints("a"), ElementsAre("node.kubernetes.io/unschedulable:NoSchedule"));
  put_node("a", "True", "taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]");
  EXPECT_THAT(taints("a"), IsEmpty());
}

TEST_F(NodesTest, EvictsPodsThatDoNotTolerateATaint) {
  cluster_.add(make_taint_eviction({}));
  put_node("a", "True");
  put_pod("plain", "a");
  put_pod("patient", "a", ", tolerations: [{key: gone, operator: Exists, effect: NoExecute, tolerationSeconds: 30}]");
  put_pod("stubborn", "a", ", tolerations: [{operator: Exists}]");
  put_node("a", "True", "taints: [{key: gone, effect: NoExecute}]");
  EXPECT_EQ(cluster_.get<kube::Pod>("plain"), nullptr);
  EXPECT_THAT(cluster_.done, ElementsAre("patch pods/status plain", "delete pods plain"));
  EXPECT_THAT(cluster_.events, ElementsAre("Normal TaintManagerEviction Marking for deletion Pod default/plain"));
  EXPECT_NE(cluster_.get<kube::Pod>("patient"), nullptr);
  wait(30);
  EXPECT_EQ(cluster_.get<kube::Pod>("patient"), nullptr);
  EXPECT_NE(cluster_.get<kube::Pod>("stubborn"), nullptr);
}

TEST_F(NodesTest, CancelsEvictionsWhenTheTaintGoes) {
  cluster_.add(make_taint_eviction({}));
  put_node("a", "True");
  put_pod("patient", "a", ", tolerations: [{key: gone, operator: Exists, effect: NoExecute, tolerationSeconds: 30}]");
  put_node("a", "True", "taints: [{key: gone, effect: NoExecute}]");
  wait(29);
  put_node("a", "True");
  EXPECT_THAT(cluster_.events, ElementsAre("Normal TaintManagerEviction Cancelling deletion of Pod default/patient"));
  wait(60);
  EXPECT_NE(cluster_.get<kube::Pod>("patient"), nullptr);
}

TEST_F(NodesTest, KeepsTheTimeOfAnEvictionWhenTolerationsChange) {
  cluster_.add(make_taint_eviction({}));
  put_node("a", "True");
  const auto tolerate = [&](const char* seconds) {
    put_pod("patient", "a",
            fmt::format(", tolerations: [{{key: gone, operator: Exists, effect: NoExecute{}}}]", seconds));
  };
  tolerate(", tolerationSeconds: 30");
  put_node("a", "True", "taints: [{key: gone, effect: NoExecute}]");
  wait(10);
  tolerate(", tolerationSeconds: 5");
  tolerate(", tolerationSeconds: 300");
  wait(19);
  EXPECT_NE(cluster_.get<kube::Pod>("patient"), nullptr);
  wait(1);
  EXPECT_EQ(cluster_.get<kube::Pod>("patient"), nullptr);

  tolerate(", tolerationSeconds: 30");
  wait(10);
  tolerate("");  // for ever: the eviction is cancelled
  wait(60);
  EXPECT_NE(cluster_.get<kube::Pod>("patient"), nullptr);
}

TEST_F(NodesTest, WaitsLongerForNodesWhoseLeasesLastLonger) {
  cluster_.add(make_node_lifecycle({}));
  put_node("a", "True");
  cluster_.apply(
      "{kind: Lease, apiVersion: coordination.k8s.io/v1, metadata: {name: a, namespace: kube-node-lease}, spec: "
      "{leaseDurationSeconds: 400, renewTime: '" +
      format_rfc3339(cluster_.now) + "'}}");
  cluster_.settle();
  wait(500);
  EXPECT_EQ(node_ready("a"), "True");
  wait(1);
  EXPECT_EQ(node_ready("a"), "Unknown NodeStatusUnknown");
}

TEST_F(NodesTest, TakesPodsOfVanishedNodesAway) {
  cluster_.add(make_pod_garbage({}));
  put_node("a", "True");
  put_pod("web", "a");
  cluster_.caches.of<kube::Node>().erase({"", "a"});
  cluster_.settle();
  EXPECT_THAT(cluster_.done, IsEmpty());
  wait(39);
  EXPECT_THAT(cluster_.done, IsEmpty());
  wait(1);
  EXPECT_THAT(cluster_.done, ElementsAre("patch pods/status web", "delete pods web"));
}

/// Found by simulation: a client deleted a pod that waited for a node. Its Job, which replaces only pods that have
/// failed, waited for the pod, and the pod's finalizer for the Job.
TEST_F(NodesTest, TakesPodsAwayThatAreDeletedAndWereNeverBound) {
  cluster_.add(make_pod_garbage({}));
  cluster_.apply("{kind: Pod, apiVersion: v1, metadata: {name: waits}}");
  cluster_.settle();
  EXPECT_THAT(cluster_.done, IsEmpty());
  cluster_.finalizers_hold = true;
  cluster_.apply(
      "{kind: Pod, apiVersion: v1, metadata: {name: held, finalizers: [batch.kubernetes.io/job-tracking], "
      "deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0}}");
  cluster_.settle();
  EXPECT_THAT(cluster_.done, ElementsAre("patch pods/status held")) << "the rest is up to the owners of its finalizers";
  EXPECT_TRUE(cluster_.get<kube::Pod>("held")->view.finished());
}

TEST_F(NodesTest, KeepsOnlySoManyFinishedPods) {
  PodGarbageOptions options;
  options.most_finished = 2;
  cluster_.add(make_pod_garbage(options));
  for (const char* name : {"p1", "p2", "p3"}) {
    cluster_.apply(std::string("{kind: Pod, apiVersion: v1, metadata: {name: ") + name +
                   "}, status: {phase: Succeeded}}");
    cluster_.now = cluster_.now + Duration::seconds(1);
    cluster_.settle();
  }
  EXPECT_THAT(cluster_.done, ElementsAre("delete pods p1"));
}

}  // namespace
}  // namespace loadline::controllers

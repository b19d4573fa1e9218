#include "hosts/kubelet/node_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "hosts/controllers/testing/test_cluster.h"
#include "hosts/kubelet/device_plugin.h"
#include "hosts/kubelet/usage.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/service.h"

namespace loadline::kubelet {
namespace {

using controllers::testing::TestCluster;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class NodeStatusTest : public ::testing::Test {
 protected:
  NodeStatusTest() { cluster_.add(make_node_status({})); }

  void put_node(const std::string& annotations, const std::string& rest = "") {
    cluster_.apply(
        "{kind: Node, apiVersion: v1, metadata: {name: node-1, uid: u, annotations: {loadline.dev/node: "
        "virtual, " +
        annotations + "}" + rest + "}");
    cluster_.settle();
  }
  [[nodiscard]] watching::ObjectPtr<kube::Node> node() const {
    return cluster_.caches.of<kube::Node>().find("", "node-1");
  }
  [[nodiscard]] std::string text(document::Names names) const {
    return std::string(document::text_at(node()->document, names));
  }
  [[nodiscard]] std::string renewed() const {
    const auto lease = cluster_.caches.of<watching::Lease>().find("kube-node-lease", "node-1");
    return lease == nullptr ? "none" : std::string(document::text_at(lease->document, {"spec", "renewTime"}));
  }

  TestCluster cluster_;
};

TEST_F(NodeStatusTest, SaysThatANewNodeIsReadyAndRenewsItsLease) {
  put_node("", "}");
  ASSERT_EQ(node()->view.conditions.size(), 4U);
  EXPECT_EQ(node()->view.conditions.back().type, "Ready");
  EXPECT_EQ(node()->view.conditions.back().status, "True");
  EXPECT_EQ(node()->view.allocatable.at("cpu").value(), 8);
  EXPECT_THAT(internal_ip(node()->document), HasSubstr("172."));
  EXPECT_EQ(renewed(), "2026-01-01T00:00:00.000000Z");
  EXPECT_THAT(cluster_.events, ElementsAre("Normal Starting Starting kubelet.",
                                           "Normal NodeReady Node node-1 status is now: NodeReady"));
  cluster_.done.clear();
  ASSERT_TRUE(cluster_.again_after);
  EXPECT_LE(*cluster_.again_after, Duration::seconds(10));
  cluster_.wait(Duration::seconds(10));
  EXPECT_THAT(cluster_.done, ElementsAre("patch leases node-1"));
  EXPECT_EQ(renewed(), "2026-01-01T00:00:10.000000Z");
  cluster_.wait(Duration::seconds(300));
  EXPECT_THAT(cluster_.done, Contains("patch nodes/status node-1"));
}

TEST(NodeHeartbeats, AreAsRareAsTheirOwnerSays) {
  const auto period = std::make_shared<std::atomic<Duration>>(Duration::seconds(150));
  TestCluster cluster;
  cluster.add(make_node_status({.changing_lease_period = period}));
  cluster.apply(
      "{kind: Node, apiVersion: v1, metadata: {name: node-1, uid: u, annotations: {loadline.dev/node: virtual}}}");
  cluster.settle();
  const auto lasts = [&] {
    const auto lease = cluster.caches.of<watching::Lease>().find("kube-node-lease", "node-1");
    return document::find_at(lease->document, {"spec", "leaseDurationSeconds"})->integer();
  };
  EXPECT_EQ(lasts(), 600);
  cluster.done.clear();
  for (int i = 0; i < 15; ++i) cluster.wait(Duration::seconds(10));
  EXPECT_THAT(cluster.done, ElementsAre("patch leases node-1"));
  *period = Duration::seconds(10);
  cluster.wait(Duration::seconds(150));
  EXPECT_EQ(lasts(), 40);  // a watcher of the Lease waits no longer than for a kubelet's
}

TEST_F(NodeStatusTest, LeavesOtherNodesAlone) {
  cluster_.apply("{kind: Node, apiVersion: v1, metadata: {name: real}}");
  cluster_.settle();
  EXPECT_THAT(cluster_.done, IsEmpty());
}

TEST_F(NodeStatusTest, IsSilentWhileTheMachineIsDown) {
  put_node("loadline.dev/unready: 'true'", "}");
  cluster_.wait(Duration::seconds(600));
  EXPECT_THAT(cluster_.done, IsEmpty());
  EXPECT_EQ(renewed(), "none");
}

TEST_F(NodeStatusTest, GoesUpAndDownIfItIsFlaky) {
  put_node("loadline.dev/flaky: 60s/30s", "}");
  cluster_.done.clear();
  cluster_.wait(Duration::seconds(61));
  EXPECT_THAT(cluster_.done, IsEmpty());
  EXPECT_EQ(cluster_.again_after, Duration::seconds(29));
  cluster_.wait(Duration::seconds(29));
  EXPECT_THAT(cluster_.done, Contains("patch leases node-1"));
}

TEST_F(NodeStatusTest, TaintsAnInterruptedNodeAndTakesItAway) {
  put_node("loadline.dev/interruption: 2m", "}");
  ASSERT_EQ(node()->view.taints.size(), 1U);
  EXPECT_EQ(node()->view.taints[0].key, "loadline.dev/interruption");
  cluster_.wait(Duration::seconds(119));
  EXPECT_NE(node(), nullptr);
  cluster_.wait(Duration::seconds(1));
  EXPECT_EQ(node(), nullptr);
}

TEST_F(NodeStatusTest, AdvertisesGpusAsTheDevicePluginIsConfigured) {
  put_node("loadline.dev/gpus: '8'", ", labels: {nvidia.com/gpu.product: NVIDIA-H200}}");
  EXPECT_EQ(text({"status", "allocatable", "nvidia.com/gpu"}), "");
  cluster_.apply(R"(
kind: Pod
apiVersion: v1
metadata: {name: plugin}
spec:
  nodeName: node-1
  containers: [{name: c, image: "nvcr.io/nvidia/k8s-device-plugin:v0.13.0"}]
  volumes:
  - {name: config, configMap: {name: device-plugin-config}}
  - {name: socket, hostPath: {path: /var/lib/kubelet/device-plugins}}
status: {phase: Running}
)");
  cluster_.settle();
  EXPECT_EQ(text({"status", "allocatable", "nvidia.com/gpu"}), "8");
  EXPECT_EQ(text({"metadata", "labels", "nvidia.com/gpu.sharing-strategy"}), "none");
  cluster_.apply(R"(
kind: ConfigMap
apiVersion: v1
metadata: {name: device-plugin-config}
data:
  config.yaml: |
    version: v1
    sharing:
      timeSlicing:
        resources:
        - name: nvidia.com/gpu
          replicas: 4
)");
  cluster_.settle();
  EXPECT_EQ(text({"status", "allocatable", "nvidia.com/gpu"}), "32");
  EXPECT_EQ(text({"status", "capacity", "nvidia.com/gpu"}), "32");
  EXPECT_EQ(text({"metadata", "labels", "nvidia.com/gpu.replicas"}), "4");
  EXPECT_EQ(text({"metadata", "labels", "nvidia.com/gpu.product"}), "NVIDIA-H200-SHARED");
  cluster_.done.clear();
  cluster_.wait(Duration::seconds(1));
  EXPECT_THAT(cluster_.done, ::testing::Not(Contains("patch nodes/status node-1")));
}

constexpr const char* kSlicing = R"(
kind: ConfigMap
apiVersion: v1
metadata: {name: slices, namespace: kube-system}
data:
  any: "version: v1\nsharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}"
)";

TEST_F(NodeStatusTest, ASharingConfigurationIsAssumedWhereThereIsNoPluginAtAll) {
  put_node("", "}, status: {capacity: {cpu: '4', nvidia.com/gpu: '2'}, allocatable: {cpu: '4', nvidia.com/gpu: '2'}}");
  cluster_.apply(kSlicing);
  cluster_.settle();
  EXPECT_EQ(text({"status", "allocatable", "nvidia.com/gpu"}), "8");
  EXPECT_EQ(text({"metadata", "labels", "nvidia.com/gpu.replicas"}), "4");
  EXPECT_THAT(cluster_.events, Contains(HasSubstr("GpuSharingAssumed")));
  cluster_.apply(R"(
kind: Pod
apiVersion: v1
metadata: {name: plugin, namespace: kube-system}
spec:
  nodeName: node-2
  containers: [{name: c, image: "nvcr.io/nvidia/k8s-device-plugin:v0.17.0"}]
  volumes: [{name: socket, hostPath: {path: /var/lib/kubelet/device-plugins}}]
status: {phase: Running}
)");
  cluster_.settle();
  EXPECT_EQ(text({"status", "allocatable", "nvidia.com/gpu"}), "2") << "a plugin that mounts nothing shares nothing";
}

/// Who may write ConfigMaps and pods in some namespace does not share everybody's GPUs, nor ends that they are shared.
TEST_F(NodeStatusTest, ASharingConfigurationOfSomeNamespaceIsForItsOwnPluginAlone) {
  put_node("", "}, status: {capacity: {cpu: '4', nvidia.com/gpu: '2'}, allocatable: {cpu: '4', nvidia.com/gpu: '2'}}");
  std::string elsewhere = kSlicing;
  elsewhere.replace(elsewhere.find("kube-system"), 11, "a-tenant");
  cluster_.apply(elsewhere);
  cluster_.settle();
  EXPECT_EQ(text({"status", "allocatable", "nvidia.com/gpu"}), "2") << "no plugin mounts it";
  cluster_.apply(
      "{kind: ClusterPolicy, apiVersion: nvidia.com/v1, metadata: {name: p}, spec: {devicePlugin: {config: {name: "
      "slices}}}}");
  cluster_.settle();
  EXPECT_EQ(text({"status", "allocatable", "nvidia.com/gpu"}), "2") << "the operator's is another of that name";
  cluster_.apply(kSlicing);
  cluster_.apply(R"(
kind: Pod
apiVersion: v1
metadata: {name: none, namespace: a-tenant}
spec: {nodeName: node-1, containers: [{name: c, image: "copies.example/k8s-device-plugin"}]}
status: {phase: Running}
)");
  cluster_.settle();
  EXPECT_EQ(text({"status", "allocatable", "nvidia.com/gpu"}), "8") << "it registers with no kubelet";
}

TEST_F(NodeStatusTest, AClusterPolicyNamesTheSharingConfiguration) {
  put_node("", "}, status: {capacity: {cpu: '4', nvidia.com/gpu: '2'}, allocatable: {cpu: '4', nvidia.com/gpu: '2'}}");
  cluster_.apply(R"(
kind: ClusterPolicy
apiVersion: nvidia.com/v1
metadata: {name: cluster-policy}
spec: {devicePlugin: {config: {name: other}}}
)");
  cluster_.apply(kSlicing);
  cluster_.settle();
  EXPECT_EQ(text({"status", "allocatable", "nvidia.com/gpu"}), "2") << "it names another";
  cluster_.apply(R"(
kind: ClusterPolicy
apiVersion: nvidia.com/v1
metadata: {name: cluster-policy}
spec: {devicePlugin: {config: {name: slices}}}
)");
  cluster_.settle();
  EXPECT_EQ(text({"status", "allocatable", "nvidia.com/gpu"}), "8");
}

/// Upstream's end-to-end suite advertises example.com/fakecpu so, and waits for it.
TEST_F(NodeStatusTest, MakesAllocatableWhatIsWrittenIntoItsCapacity) {
  put_node("", "}, status: {capacity: {cpu: '4', nvidia.com/gpu: '8'}, allocatable: {cpu: '3', nvidia.com/gpu: '7'}}");
  const auto write = [&](const std::string& value) {
    const std::string change = "{status: {capacity: {example.com/fakecpu: " + value + "}}}";
    watching::Reconciliation administrator;
    administrator.then(watching::patch(watching::kind_name<kube::Node>(), node()->key(), kube::PatchType::kMerge,
                                       document::read_yaml(change, "t").documents.at(0)));
    cluster_.carry_out(administrator);
    cluster_.settle();
    return text({"status", "allocatable", "example.com/fakecpu"});
  };
  EXPECT_EQ(write("'1000'"), "1000");
  EXPECT_EQ(write("'500'"), "500");
  EXPECT_EQ(write("null"), "");
  EXPECT_EQ(write("'2'"), "2");
  EXPECT_EQ(text({"status", "allocatable", "nvidia.com/gpu"}), "7") << "one may be broken";
  EXPECT_EQ(text({"status", "allocatable", "cpu"}), "3") << "others are reserved";
  cluster_.done.clear();
  cluster_.wait(Duration::seconds(1));
  EXPECT_THAT(cluster_.done, ::testing::Not(Contains("patch nodes/status node-1")));
}

/// A dump, or a crash between the two writes.
TEST_F(NodeStatusTest, MakesAllocatableWhatOnlyTheCapacityHas) {
  put_node("", "}, status: {capacity: {cpu: '4', example.com/a: '1'}, allocatable: {cpu: '4', example.com/b: '2'}}");
  EXPECT_EQ(text({"status", "allocatable", "example.com/a"}), "1");
  EXPECT_EQ(text({"status", "allocatable", "example.com/b"}), "2") << "declared without a capacity";
}

TEST(DevicePlugin, ReadsItsConfiguration) {
  const auto renamed = capacity::read_gpu_sharing(
      "version: v1\nsharing: {timeSlicing: {renameByDefault: true, resources: [{name: nvidia.com/gpu, replicas: "
      "10}]}}");
  ASSERT_TRUE(renamed);
  EXPECT_EQ(renamed->resource, "nvidia.com/gpu.shared");
  const auto mps = capacity::read_gpu_sharing("sharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: 3}]}}");
  ASSERT_TRUE(mps);
  EXPECT_EQ(mps->strategy, "mps");
  EXPECT_EQ(mps->replicas, 3);
  EXPECT_FALSE(capacity::read_gpu_sharing("sharing: [1"));
  EXPECT_FALSE(capacity::read_gpu_sharing("flags: {migStrategy: none}"));
}

TEST(Usage, IsWhatIsAnnotatedOrAboutHalfOfTheRequest) {
  TestCluster cluster;
  cluster.apply(R"(
kind: Pod
apiVersion: v1
metadata: {name: web, annotations: {loadline.dev/memory-usage.a: 100Mi}}
spec:
  nodeName: node-1
  containers:
  - {name: a, image: i, resources: {requests: {cpu: "2"}}}
  - {name: b, image: i}
  - {name: c, image: i}
status:
  phase: Running
  containerStatuses:
  - {name: a, state: {running: {}}}
  - {name: b, state: {running: {}}}
  - {name: c, state: {waiting: {reason: CrashLoopBackOff}}}
)");
  const auto usage = usage_of(*cluster.get<kube::Pod>("web"), cluster.now);
  ASSERT_EQ(usage.size(), 2U);
  EXPECT_EQ(usage[0].second.memory.to_string(), "100Mi");
  EXPECT_GE(usage[0].second.cpu.milli_value(), 800);
  EXPECT_LE(usage[0].second.cpu.milli_value(), 1200);
  EXPECT_EQ(usage[1].second.cpu.milli_value(), 1);
}

}  // namespace
}  // namespace loadline::kubelet

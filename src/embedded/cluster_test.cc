#include "embedded/cluster.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/virtual_loop.h"
#include "document/at.h"
#include "document/reader.h"
#include "document/writer.h"

namespace loadline::embedded {
namespace {

using document::Value;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

Value yaml(const std::string& text) { return document::read_yaml(text, "test").documents.front(); }

Value node(const std::string& name, int gpus = 0) {
  return yaml(fmt::format(R"(
apiVersion: v1
kind: Node
metadata: {{name: {0}, labels: {{kubernetes.io/hostname: {0}}}}}
status:
  capacity: {{cpu: "8", memory: 32Gi, pods: "110", nvidia.com/gpu: "{1}"}}
  allocatable: {{cpu: "8", memory: 32Gi, pods: "110", nvidia.com/gpu: "{1}"}}
  conditions: [{{type: Ready, status: "True"}}]
)",
                          name, gpus));
}

/// A cluster in virtual time.
class ClusterTest : public ::testing::Test {
 protected:
  void start(std::vector<Value> nodes) {
    ClusterOptions options;
    options.plane.seed = 1;
    options.plane.commits_on_loop = true;
    options.nodes = std::move(nodes);
    Result<std::unique_ptr<Cluster>> cluster = Cluster::open(loop_, std::move(options));
    ASSERT_TRUE(cluster) << cluster.error().message;
    cluster_ = std::move(*cluster);
    client_ = cluster_->client("test");
    bool is_ready = false;
    cluster_->when_ready([&](const Result<void>& ready) { is_ready = ready.has_value(); });
    loop_.run_until_idle();
    ASSERT_TRUE(is_ready);
  }

  void apply(const kube::ResourceReference& of, const std::string& text) {
    client_->create(of, yaml(text),
                    [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer) << answer.error().message; });
    loop_.run_until_idle();
  }

  std::vector<Value> list(const kube::ResourceReference& of) {
    std::vector<Value> items;
    client_->list(of, {}, [&](const kube::Answer<kube::ObjectList>& answer) { items = answer->items; });
    loop_.run_until_idle();
    return items;
  }

  /// "phase on node" and how often.
  std::map<std::string, int> pods() {
    std::map<std::string, int> result;
    for (const Value& pod : list({"", "v1", "pods"})) {
      ++result[fmt::format("{} on {}", document::text_at(pod, {"status", "phase"}),
                           document::text_at(pod, {"spec", "nodeName"}))];
    }
    return result;
  }

  std::vector<std::string> events(std::string_view reason) {
    std::vector<std::string> messages;
    for (const Value& event : list({"", "v1", "events"})) {
      if (document::text_at(event, {"reason"}) == reason) messages.emplace_back(document::text_at(event, {"message"}));
    }
    return messages;
  }

  VirtualLoop loop_{Instant{} + Duration::seconds(1'767'225'600)};
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<kube::Client> client_;
};

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

TEST_F(ClusterTest, PreemptsForAMoreImportantPod) {
  start({node("a", 1)});
  const char* kPod = R"(
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

}  // namespace
}  // namespace loadline::embedded

#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/virtual_loop.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "hosts/embedded/cluster.h"

namespace loadline::embedded::testing {

using document::Value;

inline const kube::ResourceReference kPods{"", "v1", "pods", "default"};

inline Value yaml(const std::string& text) { return document::read_yaml(text, "test").documents.front(); }

inline Value node(const std::string& name, int gpus = 0) {
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

/// Three workers of 4 CPUs, which start together.
inline std::string volcano_job(std::string_view scheduler) {
  return fmt::format(R"(
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: train, namespace: default}}
spec:
  schedulerName: {}
  minAvailable: 3
  tasks:
  - name: worker
    replicas: 3
    template:
      metadata: {{annotations: {{loadline.dev/run-time: forever}}}}
      spec:
        restartPolicy: Never
        containers: [{{name: app, image: train, resources: {{requests: {{cpu: "4"}}}}}}]
)",
                     scheduler);
}

/// A cluster in virtual time.
class ClusterTest : public ::testing::Test {
 protected:
  void start(std::vector<Value> nodes, ClusterOptions options = {}) {
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

}  // namespace loadline::embedded::testing

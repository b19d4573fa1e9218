#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/go_json.h"
#include "hosts/embedded/testing/cluster_fixture.h"
#include "objects/kube/condition.h"

namespace loadline::embedded::testing {

inline const kube::ResourceReference kJobs{"batch", "v1", "jobs", "default"};
inline const kube::ResourceReference kWorkloads{"kueue.x-k8s.io", "v1beta2", "workloads", "default"};
inline const kube::ResourceReference kFlavors{"kueue.x-k8s.io", "v1beta1", "resourceflavors"};
inline const kube::ResourceReference kQueues{"kueue.x-k8s.io", "v1beta1", "clusterqueues"};
inline const kube::ResourceReference kLocalQueues{"kueue.x-k8s.io", "v1beta1", "localqueues", "default"};

/// A cluster with Kueue's queues, as far as the side of jobs goes: the test says what the queues would.
class KueueTest : public ClusterTest {
 protected:
  /// `stop_policy`: with Hold the queues let nothing in, and the test says what they would.
  void start_with_queues(ClusterOptions options = {}, const std::string& stop_policy = "Hold") {
    Value worker = node("n1", 8);
    worker = document::with_at(std::move(worker), {"metadata", "labels", "pool"}, Value("a"));
    start({node("n0", 8), std::move(worker)}, std::move(options));
    apply(kFlavors,
          "{apiVersion: kueue.x-k8s.io/v1beta1, kind: ResourceFlavor, metadata: {name: a}, spec: {nodeLabels: "
          "{pool: a}}}");
    apply(kQueues,
          "{apiVersion: kueue.x-k8s.io/v1beta1, kind: ClusterQueue, metadata: {name: cq}, spec: {cohort: all, "
          "stopPolicy: " +
              stop_policy +
              ", namespaceSelector: {}, preemption: {withinClusterQueue: LowerPriority}, resourceGroups: "
              "[{coveredResources: [cpu], flavors: [{name: a, resources: [{name: cpu, nominalQuota: 4}]}]}]}}");
    apply(kLocalQueues,
          "{apiVersion: kueue.x-k8s.io/v1beta1, kind: LocalQueue, metadata: {name: team}, spec: "
          "{clusterQueue: cq}}");
  }
  static std::string job(const std::string& labels = "kueue.x-k8s.io/queue-name: team") {
    return fmt::format(R"(
apiVersion: batch/v1
kind: Job
metadata: {{name: train, namespace: default, labels: {{{}}}}}
spec:
  parallelism: 2
  completions: 2
  template:
    metadata: {{annotations: {{loadline.dev/run-time: 30s}}}}
    spec:
      restartPolicy: Never
      containers: [{{name: app, image: train, resources: {{requests: {{cpu: "1"}}}}}}]
)",
                       labels);
  }
  [[nodiscard]] Value only(const kube::ResourceReference& of) {
    std::vector<Value> all = list(of);
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? Value(document::Object()) : all.front();
  }
  /// The answer's message; empty: it was done.
  std::string merge(kube::ResourceReference of, const std::string& name, const std::string& patch,
                    const std::string& subresource = {}) {
    of.name = name;
    of.subresource = subresource;
    std::string problem;
    client_->patch(of, {kube::PatchType::kMerge, yaml(patch), false},
                   [&](const kube::Answer<Value>& answer) { problem = answer ? "" : answer.error().message; });
    loop_.run_until_idle();
    return problem;
  }
  std::string workload_name() { return std::string(document::text_at(only(kWorkloads), {"metadata", "name"})); }
  static std::string condition(const std::string& type, const std::string& status, const std::string& reason) {
    return fmt::format("{{type: {}, status: '{}', reason: {}, message: m, lastTransitionTime: '2026-01-01T00:00:00Z'}}",
                       type, status, reason);
  }
  /// All sets of the only Workload get what they ask for.
  std::string admit() {
    std::string sets;
    for (const Value& set : document::items_at(only(kWorkloads), {"spec", "podSets"})) {
      const std::int64_t count = document::value_at(set, {"count"}).integer();
      sets += fmt::format("{{name: '{}', count: {}, flavors: {{cpu: a}}, resourceUsage: {{cpu: '{}'}}}},",
                          document::text_at(set, {"name"}), count, count);
    }
    return merge(kWorkloads, workload_name(),
                 fmt::format("{{status: {{admission: {{clusterQueue: cq, podSetAssignments: [{}]}}, conditions: [{}, "
                             "{}]}}}}",
                             sets, condition("QuotaReserved", "True", "QuotaReserved"),
                             condition("Admitted", "True", "Admitted")),
                 "status");
  }
  std::string evict() {
    document::Array all = document::value_at(only(kWorkloads), {"status", "conditions"}).array();
    all.push_back(yaml(condition("Evicted", "True", "Preempted")));
    return merge(kWorkloads, workload_name(),
                 "{status: {conditions: " + document::write_go_json(Value(std::move(all))) + "}}", "status");
  }
  static bool is_true(const Value& object, std::string_view type) { return kube::has_true_condition(object, type); }
};

}  // namespace loadline::embedded::testing

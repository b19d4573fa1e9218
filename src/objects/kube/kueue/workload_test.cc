#include "objects/kube/kueue/workload.h"

#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/reader.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

KueueWorkload read_workload(std::string_view version, const std::string& text) {
  const Decoding decoding = decode_text("apiVersion: kueue.x-k8s.io/" + std::string(version) +
                                        "\nkind: Workload\nmetadata: {name: job-train, namespace: ml}\n" + text);
  EXPECT_THAT(lines_of(decoding.diagnostics), IsEmpty()) << version;
  const auto& workloads = decoding.objects.of<KueueWorkload>();
  EXPECT_THAT(workloads, SizeIs(1)) << version;
  return workloads.empty() ? KueueWorkload() : workloads.front();
}

constexpr const char* kPodSets = R"(
  podSets:
  - name: leader
    template: {spec: {restartPolicy: Never, containers: [{name: c, image: i, resources: {requests: {cpu: 2}}}]}}
  - name: worker
    count: 8
    minCount: 4
    template:
      metadata: {labels: {role: worker}}
      spec:
        restartPolicy: Never
        nodeSelector: {gpu: a100}
        containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: 1}}}]
    topologyRequest:
      required: block
      podIndexLabel: index
      subGroupIndexLabel: job
      subGroupCount: 2
      podSetGroupName: all
      podSetSliceRequiredTopology: rack
      podSetSliceSize: 4
)";

constexpr const char* kStatus = R"(
  conditions:
  - {type: QuotaReserved, status: "True", reason: R, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"}
  requeueState: {count: 2, requeueAt: "2026-01-02T03:05:05Z"}
  reclaimablePods: [{name: worker, count: 3}]
  admissionChecks:
  - name: capacity
    state: Retry
    lastTransitionTime: "2026-01-02T03:04:05Z"
    message: later
    podSetUpdates:
    - name: worker
      labels: {a: b}
      annotations: {c: d}
      nodeSelector: {pool: p}
      tolerations: [{key: spot, operator: Exists}]
)";

std::string old_workload() {
  return std::string(R"(
spec:
  queueName: main
  priority: 100
  priorityClassName: high
  priorityClassSource: kueue.x-k8s.io/workloadpriorityclass
  active: false
  maximumExecutionTimeSeconds: 3600)") +
         kPodSets + "status:" + kStatus + R"(
  accumulatedPastExexcutionTimeSeconds: 60
  admission:
    clusterQueue: team
    podSetAssignments:
    - {name: leader, count: 1, flavors: {cpu: x86}, resourceUsage: {cpu: 2}}
    - name: worker
      count: 8
      flavors: {nvidia.com/gpu: a100}
      resourceUsage: {nvidia.com/gpu: 8}
      delayedTopologyRequest: Pending
      topologyAssignment:
        levels: [rack, kubernetes.io/hostname]
        domains: [{values: [r1, n-1], count: 4}, {values: [r1, n-2], count: 3}, {values: [r2, n-9], count: 1}]
)";
}

std::string new_workload() {
  return std::string(R"(
spec:
  queueName: main
  priority: 100
  priorityClassRef: {group: kueue.x-k8s.io, kind: WorkloadPriorityClass, name: high}
  active: false
  maximumExecutionTimeSeconds: 3600)") +
         kPodSets + "status:" + kStatus + R"(
  accumulatedPastExecutionTimeSeconds: 60
  admission:
    clusterQueue: team
    podSetAssignments:
    - {name: leader, count: 1, flavors: {cpu: x86}, resourceUsage: {cpu: 2}}
    - name: worker
      count: 8
      flavors: {nvidia.com/gpu: a100}
      resourceUsage: {nvidia.com/gpu: 8}
      delayedTopologyRequest: Pending
      topologyAssignment:
        levels: [rack, kubernetes.io/hostname]
        slices:
        - domainCount: 2
          valuesPerLevel: [{universal: r1}, {individual: {prefix: n-, roots: ["1", "2"]}}]
          podCounts: {individual: [4, 3]}
        - domainCount: 1
          valuesPerLevel: [{universal: r2}, {universal: n-9}]
          podCounts: {universal: 1}
)";
}

TEST(KueueWorkload, AsksForTheSameInBothVersions) {
  for (const auto& [version, text] :
       {std::pair<std::string_view, std::string>{"v1beta1", old_workload()}, {"v1beta2", new_workload()}}) {
    const KueueWorkload workload = read_workload(version, text);
    EXPECT_EQ(workload.metadata.namespace_, "ml");
    EXPECT_EQ(workload.queue_name, "main");
    EXPECT_EQ(workload.priority, 100);
    EXPECT_EQ(workload.priority_class_name, "high");
    EXPECT_EQ(workload.priority_class_source, PriorityClassSource::kWorkloadPriorityClass);
    EXPECT_FALSE(workload.active);
    EXPECT_EQ(workload.maximum_execution_time_seconds, 3600);
    ASSERT_THAT(workload.pod_sets, SizeIs(2));
    const PodSet& leader = workload.pod_sets[0];
    EXPECT_EQ(leader.name, "leader");
    EXPECT_EQ(leader.count, 1);
    EXPECT_EQ(leader.min_count, std::nullopt);
    EXPECT_FALSE(leader.topology_request);
    EXPECT_EQ(leader.template_.spec->containers.at(0).resources.requests.at("cpu"), Quantity::parse("2").value());
    const PodSet& worker = workload.pod_sets[1];
    EXPECT_EQ(worker.count, 8);
    EXPECT_EQ(worker.min_count, 4);
    EXPECT_EQ(worker.template_.metadata.labels.at("role"), "worker");
    EXPECT_EQ(worker.template_.spec->node_selector.at("gpu"), "a100");
    ASSERT_TRUE(worker.topology_request);
    EXPECT_EQ(worker.topology_request->required, "block");
    EXPECT_EQ(worker.topology_request->preferred, "");
    EXPECT_FALSE(worker.topology_request->unconstrained);
    EXPECT_EQ(worker.topology_request->pod_index_label, "index");
    EXPECT_EQ(worker.topology_request->sub_group_index_label, "job");
    EXPECT_EQ(worker.topology_request->sub_group_count, 2);
    EXPECT_EQ(worker.topology_request->group_name, "all");
    EXPECT_EQ(worker.topology_request->slice_required_topology, "rack");
    EXPECT_EQ(worker.topology_request->slice_size, 4);
  }
}

TEST(KueueWorkload, WasGivenTheSameInBothVersions) {
  for (const auto& [version, text] :
       {std::pair<std::string_view, std::string>{"v1beta1", old_workload()}, {"v1beta2", new_workload()}}) {
    const KueueWorkloadStatus status = read_workload(version, text).status;
    ASSERT_THAT(status.conditions, SizeIs(1));
    EXPECT_EQ(status.conditions[0].type, "QuotaReserved");
    EXPECT_EQ(status.conditions[0].last_transition_time, parse_rfc3339("2026-01-02T03:04:05Z"));
    ASSERT_TRUE(status.requeue_state);
    EXPECT_EQ(status.requeue_state->count, 2);
    EXPECT_EQ(status.requeue_state->requeue_at, parse_rfc3339("2026-01-02T03:05:05Z"));
    ASSERT_THAT(status.reclaimable_pods, SizeIs(1));
    EXPECT_EQ(status.reclaimable_pods[0].name, "worker");
    EXPECT_EQ(status.reclaimable_pods[0].count, 3);
    EXPECT_EQ(status.accumulated_past_execution_time_seconds, 60);
    ASSERT_THAT(status.admission_checks, SizeIs(1));
    EXPECT_EQ(status.admission_checks[0].name, "capacity");
    EXPECT_EQ(status.admission_checks[0].state, CheckState::kRetry);
    EXPECT_EQ(status.admission_checks[0].message, "later");
    ASSERT_THAT(status.admission_checks[0].pod_set_updates, SizeIs(1));
    const PodSetUpdate& update = status.admission_checks[0].pod_set_updates[0];
    EXPECT_EQ(update.name, "worker");
    EXPECT_EQ(update.labels, (StringMap{{"a", "b"}}));
    EXPECT_EQ(update.annotations, (StringMap{{"c", "d"}}));
    EXPECT_EQ(update.node_selector, (StringMap{{"pool", "p"}}));
    EXPECT_THAT(update.tolerations, ElementsAre(Toleration{"spot", TolerationOperator::kExists, "", {}, {}}));
    ASSERT_TRUE(status.admission);
    EXPECT_EQ(status.admission->cluster_queue, "team");
    ASSERT_THAT(status.admission->pod_set_assignments, SizeIs(2));
    EXPECT_FALSE(status.admission->pod_set_assignments[0].topology_assignment);
    const PodSetAssignment& given = status.admission->pod_set_assignments[1];
    EXPECT_EQ(given.name, "worker");
    EXPECT_EQ(given.count, 8);
    EXPECT_THAT(given.flavors, ElementsAre(Pair("nvidia.com/gpu", "a100")));
    EXPECT_THAT(given.resource_usage, ElementsAre(Pair("nvidia.com/gpu", Quantity::parse("8").value())));
    EXPECT_TRUE(given.is_topology_pending);
    ASSERT_TRUE(given.topology_assignment);
    EXPECT_THAT(given.topology_assignment->levels, ElementsAre("rack", "kubernetes.io/hostname"));
    EXPECT_THAT(given.topology_assignment->domains,
                ElementsAre(TopologyDomainAssignment{{"r1", "n-1"}, 4}, TopologyDomainAssignment{{"r1", "n-2"}, 3},
                            TopologyDomainAssignment{{"r2", "n-9"}, 1}));
  }
}

TEST(KueueWorkload, HasOneActivePodUnlessItSaysOtherwise) {
  for (const std::string_view version : {"v1beta1", "v1beta2"}) {
    const KueueWorkload workload = read_workload(version, R"(
spec: {podSets: [{template: {spec: {containers: [{name: c, image: i}]}}}]}
)");
    EXPECT_TRUE(workload.active);
    EXPECT_EQ(workload.queue_name, "");
    EXPECT_EQ(workload.priority, std::nullopt);
    EXPECT_EQ(workload.priority_class_source, PriorityClassSource::kNone);
    EXPECT_FALSE(workload.has_preemption_gates);
    ASSERT_THAT(workload.pod_sets, SizeIs(1));
    EXPECT_EQ(workload.pod_sets[0].name, "main");
    EXPECT_EQ(workload.pod_sets[0].count, 1);
    EXPECT_FALSE(workload.status.admission);
    EXPECT_FALSE(workload.status.requeue_state);
  }
}

TEST(KueueWorkload, NamesThePriorityClassOfItsPods) {
  const std::string pod_sets = "  podSets: [{template: {spec: {containers: [{name: c, image: i}]}}}]\n  priority: 7\n";
  const KueueWorkload old = read_workload("v1beta1", "spec:\n" + pod_sets + R"(
  priorityClassName: batch
  priorityClassSource: scheduling.k8s.io/priorityclass
)");
  const KueueWorkload now = read_workload("v1beta2", "spec:\n" + pod_sets + R"(
  priorityClassRef: {group: scheduling.k8s.io, kind: PriorityClass, name: batch}
)");
  for (const KueueWorkload& workload : {old, now}) {
    EXPECT_EQ(workload.priority_class_name, "batch");
    EXPECT_EQ(workload.priority_class_source, PriorityClassSource::kPodPriorityClass);
    EXPECT_EQ(workload.priority, 7);
  }
}

TEST(KueueWorkload, MayAskForSlicesInSeveralLayers) {
  const KueueWorkload workload = read_workload("v1beta2", R"(
spec:
  preemptionGates: [{name: example.com/gate}]
  podSets:
  - count: 8
    template: {spec: {containers: [{name: c, image: i}]}}
    topologyRequest:
      preferred: block
      podsetSliceRequiredTopologyConstraints: [{topology: rack, size: 4}, {topology: host, size: 2}]
)");
  EXPECT_TRUE(workload.has_preemption_gates);
  ASSERT_TRUE(workload.pod_sets.at(0).topology_request);
  const std::vector<PodSetSliceLayer>& layers = workload.pod_sets[0].topology_request->slice_constraints;
  ASSERT_THAT(layers, SizeIs(2));
  EXPECT_EQ(layers[0].topology, "rack");
  EXPECT_EQ(layers[0].size, 4);
  EXPECT_EQ(layers[1].topology, "host");
}

TEST(KueueWorkload, OfAClusterNamesNodesThatFailed) {
  for (const std::string_view version : {"v1beta1", "v1beta2"}) {
    const KueueWorkload workload = read_workload(version, R"(
spec: {podSets: [{template: {spec: {containers: [{name: c, image: i}]}}}]}
status: {clusterName: west, unhealthyNodes: [{name: n-1}]}
)");
    EXPECT_EQ(workload.status.cluster_name, "west");
    EXPECT_THAT(workload.status.unhealthy_nodes, ElementsAre("n-1"));
  }
}

// ---- topology assignments ------------------------------------------------------------------------------------------

TopologyAssignment assignment_of(std::string_view text) {
  return read_topology_assignment(document::read_yaml(text, "f").documents.at(0));
}

TEST(TopologyAssignment, SlicesHaveAPrefixAndASuffix) {
  const TopologyAssignment assignment = assignment_of(R"(
levels: [kubernetes.io/hostname]
slices:
- {domainCount: 2, valuesPerLevel: [{individual: {prefix: a-, suffix: .b, roots: ["1", "2"]}}], podCounts: {universal: 3}}
)");
  EXPECT_THAT(assignment.domains,
              ElementsAre(TopologyDomainAssignment{{"a-1.b"}, 3}, TopologyDomainAssignment{{"a-2.b"}, 3}));
}

TEST(TopologyAssignment, HoldsNoMoreDomainsThanItNames) {
  EXPECT_THAT(
      assignment_of(R"({levels: [a], slices: [{domainCount: 2000000000, valuesPerLevel: [{universal: x}]}]})").domains,
      ElementsAre(TopologyDomainAssignment{{"x"}, 0}));
  EXPECT_THAT(assignment_of(R"({levels: 1, domains: [3, {values: x, count: many}], slices: [[], {}, null]})").domains,
              ElementsAre(TopologyDomainAssignment{{}, 0}));
}

}  // namespace
}  // namespace loadline::kube

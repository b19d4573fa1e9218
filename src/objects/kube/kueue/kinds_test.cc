// Kueue's kinds in both versions, beside ClusterQueue (cluster_queue_test.cc) and Workload (workload_test.cc).
#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

#include "objects/kube/kueue/admission_check.h"
#include "objects/kube/kueue/cohort.h"
#include "objects/kube/kueue/local_queue.h"
#include "objects/kube/kueue/multi_kueue.h"
#include "objects/kube/kueue/provisioning_request_config.h"
#include "objects/kube/kueue/resource_flavor.h"
#include "objects/kube/kueue/topology.h"
#include "objects/kube/kueue/workload_priority_class.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr std::string_view kVersions[] = {"v1beta1", "v1beta2"};

/// The only object of the text, which has to be without fault.
template <class Kind>
Kind read_as(std::string_view version, const std::string& text) {
  const Decoding decoding = decode_text("apiVersion: kueue.x-k8s.io/" + std::string(version) + "\n" + text);
  EXPECT_THAT(lines_of(decoding.diagnostics), IsEmpty()) << version;
  const std::vector<Kind>& objects = decoding.objects.of<Kind>();
  EXPECT_THAT(objects, SizeIs(1)) << version;
  return objects.empty() ? Kind() : objects.front();
}

Quantity amount(std::string_view text) { return Quantity::parse(text).value(); }

TEST(ResourceFlavor, IsReadInBothVersions) {
  for (const std::string_view version : kVersions) {
    const auto flavor = read_as<ResourceFlavor>(version, R"(
kind: ResourceFlavor
metadata: {name: a100}
spec:
  nodeLabels: {gpu: a100}
  nodeTaints: [{key: nvidia.com/gpu, value: "true", effect: NoSchedule}]
  tolerations: [{key: spot, operator: Exists}, {key: a, value: b, effect: NoExecute}]
  topologyName: racks
)");
    EXPECT_EQ(flavor.metadata.name, "a100");
    EXPECT_EQ(flavor.metadata.namespace_, "");
    EXPECT_EQ(flavor.node_labels, (StringMap{{"gpu", "a100"}}));
    EXPECT_THAT(flavor.node_taints, ElementsAre(Taint{"nvidia.com/gpu", "true", TaintEffect::kNoSchedule, {}}));
    EXPECT_THAT(flavor.tolerations,
                ElementsAre(Toleration{"spot", TolerationOperator::kExists, "", TaintEffect::kNone, {}},
                            Toleration{"a", TolerationOperator::kEqual, "b", TaintEffect::kNoExecute, {}}));
    EXPECT_EQ(flavor.topology, "racks");
  }
}

TEST(ResourceFlavor, MayBeOfAnyNode) {
  for (const std::string_view version : kVersions) {
    const auto flavor = read_as<ResourceFlavor>(version, "kind: ResourceFlavor\nmetadata: {name: any}\n");
    EXPECT_TRUE(flavor.node_labels.empty());
    EXPECT_EQ(flavor.topology, "");
  }
}

TEST(Cohort, IsReadInBothVersions) {
  for (const std::string_view version : kVersions) {
    const auto cohort = read_as<Cohort>(version, R"(
kind: Cohort
metadata: {name: team}
spec:
  parentName: all
  fairSharing: {weight: "0.75"}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: x86
      resources: [{name: cpu, nominalQuota: 10, borrowingLimit: 5, lendingLimit: 20}]
)");
    EXPECT_EQ(cohort.parent, "all");
    EXPECT_EQ(cohort.fair_sharing_weight, amount("750m"));
    ASSERT_THAT(cohort.resource_groups, SizeIs(1));
    ASSERT_THAT(cohort.resource_groups[0].flavors, SizeIs(1));
    const FlavorQuota& quota = cohort.resource_groups[0].flavors[0].resources.at(0);
    EXPECT_EQ(quota.nominal, amount("10"));
    EXPECT_EQ(quota.borrowing_limit, amount("5"));
    EXPECT_EQ(quota.lending_limit, amount("20")) << "it may lend more than it has: what its members lend it";
  }
}

TEST(Cohort, MayBeARootThatHasNothing) {
  for (const std::string_view version : kVersions) {
    const auto cohort = read_as<Cohort>(version, "kind: Cohort\nmetadata: {name: all}\nspec: {}\n");
    EXPECT_EQ(cohort.parent, "");
    EXPECT_THAT(cohort.resource_groups, IsEmpty());
    EXPECT_EQ(cohort.fair_sharing_weight, std::nullopt);
  }
}

TEST(LocalQueue, IsReadInBothVersions) {
  for (const std::string_view version : kVersions) {
    const auto queue = read_as<LocalQueue>(version, R"(
kind: LocalQueue
metadata: {name: main, namespace: team-a}
spec: {clusterQueue: team, stopPolicy: HoldAndDrain, fairSharing: {weight: 2}}
)");
    EXPECT_EQ(queue.metadata.namespace_, "team-a");
    EXPECT_EQ(queue.cluster_queue, "team");
    EXPECT_EQ(queue.stop_policy, StopPolicy::kHoldAndDrain);
    EXPECT_EQ(queue.fair_sharing_weight, amount("2"));
  }
}

TEST(LocalQueue, RunsUnlessItSaysOtherwise) {
  for (const std::string_view version : kVersions) {
    const auto queue =
        read_as<LocalQueue>(version, "kind: LocalQueue\nmetadata: {name: main}\nspec: {clusterQueue: team}\n");
    EXPECT_EQ(queue.metadata.namespace_, "default");
    EXPECT_EQ(queue.stop_policy, StopPolicy::kNone);
    EXPECT_EQ(queue.fair_sharing_weight, std::nullopt);
  }
}

TEST(WorkloadPriorityClass, IsReadInBothVersions) {
  for (const std::string_view version : kVersions) {
    const auto priority = read_as<WorkloadPriorityClass>(
        version, "kind: WorkloadPriorityClass\nmetadata: {name: high}\nvalue: -7\ndescription: none\n");
    EXPECT_EQ(priority.metadata.name, "high");
    EXPECT_EQ(priority.value, -7);
  }
}

TEST(AdmissionCheck, IsReadInBothVersions) {
  for (const std::string_view version : kVersions) {
    const auto check = read_as<AdmissionCheck>(version, R"(
kind: AdmissionCheck
metadata: {name: capacity}
spec:
  controllerName: kueue.x-k8s.io/provisioning-request
  parameters: {apiGroup: kueue.x-k8s.io, kind: ProvisioningRequestConfig, name: atomic}
status:
  conditions:
  - {type: Active, status: "True", reason: Active, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"}
)");
    EXPECT_EQ(check.controller_name, kProvisioningRequestController);
    ASSERT_TRUE(check.parameters);
    EXPECT_EQ(check.parameters->kind, "ProvisioningRequestConfig");
    EXPECT_EQ(check.parameters->api_group, "kueue.x-k8s.io");
    EXPECT_EQ(check.parameters->name, "atomic");
    ASSERT_THAT(check.conditions, SizeIs(1));
    EXPECT_EQ(check.conditions[0].type, "Active");
    EXPECT_EQ(check.conditions[0].status, "True");
  }
}

TEST(AdmissionCheck, OfAnotherControllerNeedsNoParameters) {
  for (const std::string_view version : kVersions) {
    const auto check = read_as<AdmissionCheck>(
        version, "kind: AdmissionCheck\nmetadata: {name: budget}\nspec: {controllerName: example.com/budget}\n");
    EXPECT_FALSE(check.parameters);
    EXPECT_THAT(check.conditions, IsEmpty());
  }
}

TEST(ProvisioningRequestConfig, IsReadInBothVersions) {
  for (const std::string_view version : kVersions) {
    const auto config = read_as<ProvisioningRequestConfig>(version, R"(
kind: ProvisioningRequestConfig
metadata: {name: atomic}
spec:
  provisioningClassName: atomic-scale-up.kubernetes.io
  parameters: {ValidUntilSeconds: "600"}
  managedResources: [nvidia.com/gpu]
  retryStrategy: {backoffLimitCount: 0, backoffBaseSeconds: 10}
  podSetUpdates: {nodeSelector: [{key: pool, valueFromProvisioningClassDetail: pool-name}]}
  podSetMergePolicy: IdenticalWorkloadSchedulingRequirements
)");
    EXPECT_EQ(config.provisioning_class_name, "atomic-scale-up.kubernetes.io");
    EXPECT_THAT(config.parameters, ElementsAre(Pair("ValidUntilSeconds", "600")));
    EXPECT_THAT(config.managed_resources, ElementsAre("nvidia.com/gpu"));
    EXPECT_EQ(config.retry_strategy.backoff_limit_count, 0);
    EXPECT_EQ(config.retry_strategy.backoff_base_seconds, 10);
    EXPECT_EQ(config.retry_strategy.backoff_max_seconds, 1800);
    ASSERT_THAT(config.pod_set_node_selector, SizeIs(1));
    EXPECT_EQ(config.pod_set_node_selector[0].key, "pool");
    EXPECT_EQ(config.pod_set_node_selector[0].value_from_provisioning_class_detail, "pool-name");
    EXPECT_EQ(config.pod_set_merge_policy, PodSetMergePolicy::kIdenticalWorkloadSchedulingRequirements);
  }
}

TEST(ProvisioningRequestConfig, TriesThreeTimesAgainUnlessItSaysOtherwise) {
  for (const std::string_view version : kVersions) {
    const auto config = read_as<ProvisioningRequestConfig>(
        version, "kind: ProvisioningRequestConfig\nmetadata: {name: a}\nspec: {provisioningClassName: check}\n");
    EXPECT_EQ(config.retry_strategy.backoff_limit_count, 3);
    EXPECT_EQ(config.retry_strategy.backoff_base_seconds, 60);
    EXPECT_EQ(config.retry_strategy.backoff_max_seconds, 1800);
    EXPECT_EQ(config.pod_set_merge_policy, std::nullopt);
  }
}

TEST(MultiKueueConfig, IsReadInBothVersions) {
  for (const std::string_view version : kVersions) {
    const auto config = read_as<MultiKueueConfig>(
        version, "kind: MultiKueueConfig\nmetadata: {name: all}\nspec: {clusters: [west, east]}\n");
    EXPECT_THAT(config.clusters, ElementsAre("west", "east")) << "in the order in which they are tried";
    EXPECT_FALSE(config.manages_quota);
  }
  EXPECT_TRUE(
      read_as<MultiKueueConfig>(
          "v1beta2",
          "kind: MultiKueueConfig\nmetadata: {name: all}\nspec: {clusters: [west], quotaManagement: Automated}\n")
          .manages_quota);
}

TEST(MultiKueueCluster, IsReadInBothVersions) {
  const auto old = read_as<MultiKueueCluster>(
      "v1beta1", "kind: MultiKueueCluster\nmetadata: {name: west}\nspec: {kubeConfig: {location: west-config}}\n");
  EXPECT_EQ(old.metadata.name, "west");
  const auto now = read_as<MultiKueueCluster>("v1beta2", R"(
kind: MultiKueueCluster
metadata: {name: west}
spec: {clusterSource: {kubeConfig: {location: west-config}}}
status:
  conditions:
  - {type: Active, status: "False", reason: BadConfig, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"}
)");
  ASSERT_THAT(now.conditions, SizeIs(1));
  EXPECT_EQ(now.conditions[0].reason, "BadConfig");
}

TEST(KueueTopology, IsReadInBothVersions) {
  for (const std::string_view version : kVersions) {
    const auto topology = read_as<KueueTopology>(version, R"(
kind: Topology
metadata: {name: racks}
spec: {levels: [{nodeLabel: example.com/rack}, {nodeLabel: kubernetes.io/hostname}]}
)");
    ASSERT_THAT(topology.levels, SizeIs(2));
    EXPECT_EQ(topology.levels[1].node_label, "kubernetes.io/hostname");
  }
}

/// What makes decisions of them comes later: a plan goes on saying that it does not read them.
TEST(KueueKinds, AreNotSkipped) {
  const Decoding decoding = decode_text(R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: any}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: main}
spec: {clusterQueue: team}
)");
  EXPECT_TRUE(decoding.objects.skipped.empty());
  EXPECT_EQ(decoding.objects.of<ResourceFlavor>().size(), 1U);
  EXPECT_EQ(decoding.objects.of<LocalQueue>().size(), 1U);
}

}  // namespace
}  // namespace loadline::kube

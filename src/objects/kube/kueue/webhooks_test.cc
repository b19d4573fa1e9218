#include "objects/kube/kueue/webhooks.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "objects/kube/kueue/cluster_queue.h"
#include "objects/kube/kueue/workload.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// What is said of the object itself, by the version of Kueue that is built in.
std::vector<std::string> told_of(const std::string& kind, const std::string& text, const std::string& meta = {}) {
  const std::string start = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: " + kind + "\nmetadata: {name: x" + meta + "}\n";
  std::vector<std::string> lines = lines_of(decode_text(start + text).diagnostics);
  std::erase_if(lines, [](const std::string& line) { return line.find("checked by the definition of") != line.npos; });
  return lines;
}

// ---- ClusterQueue --------------------------------------------------------------------------------------------------

std::vector<std::string> told_of_groups(const std::string& groups, const std::string& more = "  cohortName: all\n") {
  return told_of("ClusterQueue", "spec:\n" + more + "  resourceGroups:\n" + groups);
}

TEST(ClusterQueueWebhook, ResourcesAreInTheOrderOfTheGroup) {
  EXPECT_THAT(
      told_of_groups(R"(
  - coveredResources: [cpu, memory]
    flavors: [{name: a, resources: [{name: memory, nominalQuota: 1}, {name: cpu, nominalQuota: 1}]}]
)"),
      ElementsAre(
          "9:44 warning spec.resourceGroups[0].flavors[0].resources[0].name: Invalid value: \"memory\": must "
          "match the name in coveredResources",
          "9:77 warning spec.resourceGroups[0].flavors[0].resources[1].name: Invalid value: \"cpu\": must match "
          "the name in coveredResources"));
}

TEST(ClusterQueueWebhook, NothingIsInTwoGroups) {
  EXPECT_THAT(told_of_groups(R"(
  - {coveredResources: [cpu], flavors: [{name: a, resources: [{name: cpu, nominalQuota: 1}]}]}
  - {coveredResources: [cpu], flavors: [{name: a, resources: [{name: cpu, nominalQuota: 1}]}]}
)"),
              ElementsAre("9:25 warning spec.resourceGroups[1].coveredResources[0]: Duplicate value: \"cpu\"",
                          "9:48 warning spec.resourceGroups[1].flavors[0].name: Duplicate value: \"a\""));
}

TEST(ClusterQueueWebhook, ResourcesHaveTheNamesOfResources) {
  EXPECT_THAT(told_of_groups(R"(
  - {coveredResources: ["@gpu"], flavors: [{name: a, resources: [{name: "@gpu", nominalQuota: 1}]}]}
)"),
              ElementsAre(HasSubstr("8:25 warning spec.resourceGroups[0].coveredResources[0]: Invalid value: \"@gpu\": "
                                    "name part must consist of alphanumeric characters")));
}

TEST(ClusterQueueWebhook, NoAmountIsNegative) {
  EXPECT_THAT(
      told_of_groups(R"(
  - coveredResources: [cpu]
    flavors: [{name: a, resources: [{name: cpu, nominalQuota: -1, borrowingLimit: -2, lendingLimit: -3}]}]
)"),
      ElementsAre(
          "9:63 warning spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: Invalid value: \"-1\": must "
          "be greater than or equal to 0",
          "9:83 warning spec.resourceGroups[0].flavors[0].resources[0].borrowingLimit: Invalid value: \"-2\": "
          "must be greater than or equal to 0",
          "9:101 warning spec.resourceGroups[0].flavors[0].resources[0].lendingLimit: Invalid value: \"-3\": "
          "must be greater than or equal to 0"));
}

TEST(ClusterQueueWebhook, NothingIsLentToNobody) {
  EXPECT_THAT(told_of_groups(R"(
  - coveredResources: [cpu]
    flavors: [{name: a, resources: [{name: cpu, nominalQuota: 4, lendingLimit: 1}]}]
)",
                             ""),
              ElementsAre("8:80 warning spec.resourceGroups[0].flavors[0].resources[0].lendingLimit: Invalid value: "
                          "\"1\": must be nil when cohort is empty"));
}

TEST(ClusterQueueWebhook, NoMoreIsLentThanThereIs) {
  EXPECT_THAT(told_of_groups(R"(
  - coveredResources: [cpu]
    flavors: [{name: a, resources: [{name: cpu, nominalQuota: 4, lendingLimit: 4001m}]}]
)"),
              ElementsAre("9:80 warning spec.resourceGroups[0].flavors[0].resources[0].lendingLimit: Invalid value: "
                          "\"4001m\": must be less than or equal to the nominalQuota"));
  EXPECT_THAT(told_of_groups(R"(
  - coveredResources: [cpu]
    flavors: [{name: a, resources: [{name: cpu, nominalQuota: 4, lendingLimit: 4000m}]}]
)"),
              IsEmpty());
}

/// The definition refuses it before any webhook is asked, which would say it again for each limit.
TEST(ClusterQueueWebhook, IsNotAskedAboutWhatTheDefinitionRefuses) {
  EXPECT_THAT(told_of_groups(R"(
  - coveredResources: [cpu]
    flavors: [{name: a, resources: [{name: cpu, nominalQuota: 4, borrowingLimit: 1}]}]
)",
                             ""),
              ElementsAre("4:1 warning spec: Invalid value: borrowingLimit must be nil when cohort is empty"));
}

TEST(ClusterQueueWebhook, SelectorsSelect) {
  EXPECT_THAT(told_of("ClusterQueue", "spec: {namespaceSelector: {matchExpressions: [{key: a, operator: In}]}}\n"),
              ElementsAre("4:47 warning spec.namespaceSelector.matchExpressions[0].values: Required value: must be "
                          "specified when `operator` is 'In' or 'NotIn'"));
  EXPECT_THAT(
      told_of("ClusterQueue", "spec: {namespaceSelector: {matchLabels: {a: \"b c\"}}}\n"),
      ElementsAre(HasSubstr("warning spec.namespaceSelector.matchLabels: Invalid value: \"b c\": a valid label")));
}

TEST(ClusterQueueWebhook, WeightsAreMoreThanNothing) {
  EXPECT_THAT(told_of("ClusterQueue", "spec: {fairSharing: {weight: -1}}\n"),
              ElementsAre("4:8 warning spec.fairSharing: Invalid value: \"-1\": must be greater than or equal to 0"));
  EXPECT_THAT(told_of("ClusterQueue", "spec: {fairSharing: {weight: 1n}}\n"),
              ElementsAre("4:8 warning spec.fairSharing: Invalid value: \"1n\": When not 0, weight must be > 10e-9"));
  EXPECT_THAT(told_of("ClusterQueue", "spec: {fairSharing: {weight: 2n}}\n"), IsEmpty());
  EXPECT_THAT(told_of("ClusterQueue", "spec: {fairSharing: {weight: 0}}\n"), IsEmpty());
}

ResourceGroup group_of(std::size_t flavors, std::size_t resources, const std::string& name) {
  ResourceGroup group;
  for (std::size_t i = 0; i < resources; ++i) group.covered_resources.push_back(name + "-" + std::to_string(i));
  for (std::size_t i = 0; i < flavors; ++i) {
    FlavorQuotas& flavor = group.flavors.emplace_back();
    flavor.flavor = name + "-" + std::to_string(i);
    for (const std::string& resource : group.covered_resources) flavor.resources.push_back({resource, {}, {}, {}});
  }
  return group;
}

TEST(ClusterQueueWebhook, GroupsHaveBoundsInAll) {
  ClusterQueue queue;
  for (const char* name : {"a", "b", "c", "d"}) queue.resource_groups.push_back(group_of(64, 1, name));
  EXPECT_THAT(webhook_refusals(queue), IsEmpty());
  queue.resource_groups.push_back(group_of(1, 64, "e"));
  EXPECT_THAT(webhook_refusals(queue),
              ElementsAre(FieldError{"spec.resourceGroups",
                                     "Invalid value: 257: total number of flavors across all resourceGroups must be ≤ "
                                     "256, got 257",
                                     {}}));
  queue.resource_groups = {group_of(8, 64, "a")};
  EXPECT_THAT(webhook_refusals(queue), IsEmpty());
  queue.resource_groups[0] = group_of(9, 64, "a");
  for (const char* name : {"b", "c", "d", "e"}) queue.resource_groups.push_back(group_of(1, 64, name));
  EXPECT_THAT(webhook_refusals(queue),
              ElementsAre(FieldError{"spec.resourceGroups",
                                     "Invalid value: 320: total number of covered resources across all resourceGroups "
                                     "must be ≤ 256, got 320",
                                     {}},
                          FieldError{"spec.resourceGroups[0]",
                                     "Invalid value: 576: number of flavor-resource combinations in a resourceGroup "
                                     "must be ≤ 512, got 576",
                                     {}}));
}

TEST(ClusterQueueWebhook, ChecksAreOfFlavorsThatTheQueueHas) {
  EXPECT_THAT(
      told_of("ClusterQueue", R"(
spec:
  admissionChecksStrategy: {admissionChecks: [{name: a}, {name: b, onFlavors: [x86, arm]}]}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - {name: x86, resources: [{name: cpu, nominalQuota: 4}]}
    - {name: spot, resources: [{name: cpu, nominalQuota: 4}]}
)"),
      ElementsAre("6:85 warning spec.admissionChecksStrategy.admissionChecks[1].onFlavors[1]: Unsupported value: "
                  "\"arm\": supported values: \"spot\", \"x86\""));
}

constexpr const char* kRefused = R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: x}
spec: {fairSharing: {weight: -1}}
)";

TEST(ClusterQueueWebhook, OfTheBuiltInVersionWarns) {
  const Decoding decoding = decode_text(kRefused);
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre(HasSubstr("2:13 warning apiVersion: checked by the definition of sigs.k8s.io/kueue@v0.19.2"),
                          HasSubstr("5:8 warning spec.fairSharing: Invalid value: \"-1\"")));
  EXPECT_THAT(decoding.objects.of<ClusterQueue>(), SizeIs(1));
}

TEST(ClusterQueueWebhook, RefusesWhereTheDefinitionIsGiven) {
  const Decoding decoding = decode_text(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clusterqueues.kueue.x-k8s.io}
spec:
  group: kueue.x-k8s.io
  names: {kind: ClusterQueue, listKind: ClusterQueueList, plural: clusterqueues, singular: clusterqueue}
  scope: Cluster
  versions:
  - name: v1beta2
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---)" + std::string(kRefused));
  EXPECT_THAT(lines_of(decoding.diagnostics), ElementsAre(HasSubstr("error spec.fairSharing: Invalid value: \"-1\"")));
  EXPECT_THAT(decoding.objects.of<ClusterQueue>(), IsEmpty());
}

/// Kueue has judged it, by the version and the gates that it has there.
TEST(ClusterQueueWebhook, IsNotAskedAboutAnObjectOfACluster) {
  EXPECT_THAT(told_of("ClusterQueue", "spec: {fairSharing: {weight: -1}}\n", ", uid: u"), IsEmpty());
}

// ---- Cohort --------------------------------------------------------------------------------------------------------

TEST(CohortWebhook, LimitsAreOfThoseWhoHaveAParent) {
  const std::string groups = R"(
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: a, resources: [{name: cpu, nominalQuota: 1, borrowingLimit: 2, lendingLimit: 3}]}]
)";
  EXPECT_THAT(told_of("Cohort", "spec:\n  parentName: all" + groups), IsEmpty());
  EXPECT_THAT(told_of("Cohort", "spec:" + groups),
              ElementsAre("7:82 warning spec.resourceGroups[0].flavors[0].resources[0].borrowingLimit: Invalid value: "
                          "\"2\": must be nil when parent is empty",
                          "7:99 warning spec.resourceGroups[0].flavors[0].resources[0].lendingLimit: Invalid value: "
                          "\"3\": must be nil when parent is empty"));
}

TEST(CohortWebhook, WeightsAreMoreThanNothing) {
  EXPECT_THAT(
      told_of("Cohort", "spec: {fairSharing: {weight: -500m}}\n"),
      ElementsAre("4:8 warning spec.fairSharing: Invalid value: \"-500m\": must be greater than or equal to 0"));
}

// ---- ResourceFlavor ------------------------------------------------------------------------------------------------

TEST(ResourceFlavorWebhook, LabelsAreLabels) {
  EXPECT_THAT(told_of("ResourceFlavor", "spec: {nodeLabels: {\"@\": a}}\n"),
              ElementsAre(HasSubstr("warning spec.nodeLabels: Invalid value: \"@\": name part must consist of")));
  EXPECT_THAT(told_of("ResourceFlavor", "spec: {nodeLabels: {a: \"b c\"}}\n"),
              ElementsAre(HasSubstr("warning spec.nodeLabels: Invalid value: \"b c\": a valid label must be")));
}

TEST(ResourceFlavorWebhook, TaintsAreOfOneKeyAndEffectEach) {
  EXPECT_THAT(told_of("ResourceFlavor", R"(
spec:
  nodeTaints:
  - {key: a, value: b, effect: NoSchedule}
  - {key: a, effect: NoExecute}
  - {key: a, effect: NoSchedule}
)"),
              ElementsAre("9:5 warning spec.nodeTaints[2]: Duplicate value: {\"key\":\"a\",\"effect\":\"NoSchedule\"}: "
                          "taints must be unique by key and effect pair"));
  EXPECT_THAT(told_of("ResourceFlavor", "spec: {nodeTaints: [{key: \"@\", value: \"b c\", effect: NoSchedule}]}\n"),
              ElementsAre(HasSubstr("warning spec.nodeTaints[0].key: Invalid value: \"@\": name part must"),
                          HasSubstr("warning spec.nodeTaints[0].value: Invalid value: \"b c\": a valid label must")));
}

TEST(ResourceFlavorWebhook, TolerationsHaveKeys) {
  EXPECT_THAT(told_of("ResourceFlavor", "spec: {tolerations: [{operator: Exists}, {key: \"@\", operator: Exists}]}\n"),
              ElementsAre(HasSubstr("warning spec.tolerations[1].key: Invalid value: \"@\": name part must")));
}

// ---- Workload ------------------------------------------------------------------------------------------------------

std::vector<std::string> told_of_pod_set(const std::string& fields, const std::string& more = {}) {
  return told_of("Workload", "spec:\n  podSets:\n  - count: 4\n" + fields + more);
}

constexpr const char* kTemplate = "    template: {spec: {containers: [{name: c, image: i}]}}\n";

TEST(WorkloadWebhook, TemplatesHaveLabelsAndAnnotations) {
  EXPECT_THAT(
      told_of_pod_set(R"(
    template:
      metadata: {labels: {a: "b c"}, annotations: {"@": c}}
      spec: {containers: [{name: c, image: i}]}
)"),
      ElementsAre(HasSubstr("warning spec.podSets[0].template.metadata.labels: Invalid value: \"b c\": a valid label"),
                  HasSubstr("warning spec.podSets[0].template.metadata.annotations: Invalid value: \"@\": name part")));
}

TEST(WorkloadWebhook, NobodyAsksForLessThanNothingOrForPods) {
  EXPECT_THAT(
      told_of_pod_set(R"(
    template:
      spec:
        resources: {limits: {memory: -1Gi}}
        initContainers: [{name: a, image: i, resources: {limits: {cpu: -1}}}]
        containers: [{name: c, image: i, resources: {requests: {pods: 1}}}]
)"),
      ElementsAre(
          HasSubstr("warning spec.podSets[0].template.spec.resources.limits[memory]: Invalid value: \"-1Gi\": must be "
                    "greater than or equal to 0"),
          HasSubstr("warning spec.podSets[0].template.spec.initContainers[0].resources.limits[cpu]: Invalid value: "
                    "\"-1\": must be greater than or equal to 0"),
          HasSubstr("warning spec.podSets[0].template.spec.containers[0].resources.requests[pods]: Invalid value: "
                    "\"pods\": the key is reserved for internal kueue use")));
}

TEST(WorkloadWebhook, SlicesHaveASizeAndALevel) {
  const std::string at = "warning spec.podSets[0].topologyRequest.podSetSliceSize: ";
  EXPECT_THAT(told_of_pod_set(kTemplate, "    topologyRequest: {podSetSliceRequiredTopology: rack}\n"),
              ElementsAre(HasSubstr(at + "Required value: must be set when podSetSliceRequiredTopology is specified")));
  EXPECT_THAT(
      told_of_pod_set(kTemplate, "    topologyRequest: {podSetSliceRequiredTopology: rack, podSetSliceSize: 0}\n"),
      ElementsAre(HasSubstr(at + "Invalid value: 0: must be greater than 0")));
  EXPECT_THAT(
      told_of_pod_set(kTemplate, "    topologyRequest: {required: rack, podSetSliceSize: 2}\n"),
      ElementsAre(HasSubstr(at + "Forbidden: may not be set when podSetSliceRequiredTopology is not specified")));
  KueueWorkload workload;
  workload.pod_sets.emplace_back().topology_request.emplace().slice_constraints = {{"rack", 2}, {"host", 0}};
  EXPECT_THAT(webhook_refusals(workload),
              ElementsAre(FieldError{"spec.podSets[0].topologyRequest.podsetSliceRequiredTopologyConstraints[1].size",
                                     "Invalid value: 0: must be greater than 0",
                                     {}}))
      << "the built-in definition refuses it as well";
}

TEST(WorkloadWebhook, OnePodSetMayHaveFewerPods) {
  const std::string two = R"(
spec:
  podSets:
  - {name: a, count: 2, minCount: 1, template: {spec: {containers: [{name: c, image: i}]}}}
  - {name: b, count: 2, minCount: 1, template: {spec: {containers: [{name: c, image: i}]}}}
)";
  EXPECT_THAT(told_of("Workload", two),
              ElementsAre("6:3 warning spec.podSets: Invalid value: 2: at most one podSet can use minCount"));
  EXPECT_THAT(told_of_pod_set(kTemplate, "    minCount: 2\n"), IsEmpty());
  EXPECT_THAT(
      told_of("Workload", std::string("spec:\n  podSets:\n  - count: 4\n    minCount: 2\n") + kTemplate,
              ", annotations: {kueue.x-k8s.io/elastic-job: \"true\"}"),
      ElementsAre("5:3 warning spec.podSets: Invalid value: 1: partial admission and elastic job cannot be used "
                  "together"));
}

constexpr const char* kReserved =
    "status:\n  conditions: [{type: QuotaReserved, status: \"True\", reason: R, message: m, lastTransitionTime: "
    "\"2026-01-02T03:04:05Z\"}]\n";

TEST(WorkloadWebhook, QuotaIsReservedSomewhere) {
  EXPECT_THAT(told_of_pod_set(kTemplate, kReserved),
              ElementsAre(HasSubstr("warning status.admission: Required value: must be set while the QuotaReserved "
                                    "condition is true")));
}

TEST(WorkloadWebhook, AssignmentsAreOfItsPodSets) {
  EXPECT_THAT(
      told_of_pod_set(kTemplate, std::string(kReserved) + R"(
  admission:
    clusterQueue: team
    podSetAssignments: [{name: other, count: 2, flavors: {cpu: a}, resourceUsage: {cpu: 3001m, memory: 3}}]
)"),
      ElementsAre(HasSubstr("warning status.admission.podSetAssignments[0].name: Not found: \"other\""),
                  HasSubstr("warning status.admission.podSetAssignments[0].resourceUsage[cpu]: Invalid value: "
                            "\"3001m\": is not a multiple of 2"),
                  HasSubstr("warning status.admission.podSetAssignments[0].resourceUsage[memory]: Invalid value: "
                            "\"3\": is not a multiple of 2")));
}

TEST(WorkloadWebhook, ReclaimablePodsAreOfItsPodSets) {
  EXPECT_THAT(
      told_of_pod_set(kTemplate, "status: {reclaimablePods: [{name: main, count: 5}, {name: other, count: 1}]}\n"),
      ElementsAre(
          HasSubstr("warning status.reclaimablePods[main].count: Invalid value: 5: should be less or equal to 4"),
          HasSubstr("warning status.reclaimablePods[other].name: Unsupported value: \"other\": supported values: "
                    "\"main\"")));
}

TEST(WorkloadWebhook, ChecksChangeItsPodSets) {
  EXPECT_THAT(told_of_pod_set(kTemplate, R"(
status:
  admissionChecks:
  - name: a
    state: Ready
    message: m
    lastTransitionTime: "2026-01-02T03:04:05Z"
    podSetUpdates:
    - {name: other, tolerations: [{key: "@", operator: Exists}], labels: {a: "b c"}, nodeSelector: {c: "d e"}}
)"),
              ElementsAre(HasSubstr("warning status.admissionChecks[0].podSetUpdates[0].name: Unsupported value: "
                                    "\"other\": supported values: \"main\""),
                          HasSubstr("podSetUpdates[0].tolerations[0].key: Invalid value: \"@\": name part"),
                          HasSubstr("podSetUpdates[0].labels: Invalid value: \"b c\": a valid label"),
                          HasSubstr("podSetUpdates[0].nodeSelector: Invalid value: \"d e\": a valid label")));
}

TEST(WorkloadWebhook, GatesHaveNames) {
  const auto told = [](const std::string& gates) {
    return told_of("Workload", std::string("spec:\n  podSets:\n  - count: 4\n") + kTemplate,
                   ", annotations: {kueue.x-k8s.io/admission-gated-by: \"" + gates + "\"}");
  };
  const std::string at = "warning metadata.annotations[kueue.x-k8s.io/admission-gated-by]: ";
  EXPECT_THAT(told("a.io/x, b.io/y"), IsEmpty());
  EXPECT_THAT(told(" "), IsEmpty());
  EXPECT_THAT(told("a.io/x,,"), ElementsAre(HasSubstr(at + "Invalid value: \"a.io/x,,\": cannot contain empty gate"),
                                            HasSubstr(at + "Invalid value: \"a.io/x,,\": cannot contain empty gate")));
  EXPECT_THAT(told("a.io/x, a.io/x"),
              ElementsAre(HasSubstr(at + "Invalid value: \"a.io/x, a.io/x\": duplicate gate name: a.io/x")));
  EXPECT_THAT(
      told("x"),
      ElementsAre(HasSubstr(at + "Invalid value: \"x\": must be a domain-prefixed path (such as \"acme.io/foo\")")));
  EXPECT_THAT(told("A/x"), ElementsAre(HasSubstr(at + "Invalid value: \"A\": a lowercase RFC 1123 subdomain must")));
  EXPECT_THAT(told("a/x y"), ElementsAre(HasSubstr(at + "Invalid value: \"x y\": Invalid path (regex used for")));
  EXPECT_THAT(told("a/" + std::string(62, 'x')),
              ElementsAre(HasSubstr(at + "Too long: may not be more than 63 bytes")));
}

}  // namespace
}  // namespace loadline::kube

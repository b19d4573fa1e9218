#include <gmock/gmock.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/document/reader.h"
#include "objects/kube/codec.h"
#include "objects/kube/custom_kinds.h"
#include "objects/kube/kueue/cluster_queue_schema.h"
#include "objects/kube/overlay.h"
#include "objects/kube/registry.h"
#include "objects/kube/view.h"
#include "objects/schema/catalog.h"

namespace loadline::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Decoding decode_yaml(const std::string& text) {
  std::vector<SourceDocument> documents;
  for (document::Value& value : document::read_yaml(text, "queues.yaml").documents) {
    documents.push_back({std::move(value), "queues.yaml"});
  }
  return decode(documents);
}

constexpr const char* kGroups = R"(
  resourceGroups:
  - coveredResources: [nvidia.com/gpu]
    flavors:
    - name: h100
      resources: [{name: nvidia.com/gpu, nominalQuota: 64, borrowingLimit: "8", lendingLimit: 0.05k}]
  preemption: {reclaimWithinCohort: Any, borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 100}}
  fairSharing: {weight: 500m}
)";

std::string queue(const std::string& version, const std::string& spec) {
  return "apiVersion: kueue.x-k8s.io/" + version + "\nkind: ClusterQueue\nmetadata: {name: team}\nspec:\n" + spec +
         kGroups;
}

std::string new_queue() {
  return queue("v1beta2", R"(
  cohortName: all
  flavorFungibility: {whenCanBorrow: MayStopSearch, whenCanPreempt: TryNextFlavor}
  admissionChecksStrategy: {admissionChecks: [{name: budget}]}
)");
}

std::string old_queue() {
  return queue("v1beta1", R"(
  cohort: all
  flavorFungibility: {whenCanBorrow: Borrow, whenCanPreempt: TryNextFlavor}
  admissionChecks: [budget]
)");
}

void expect_team(const ClusterQueue& queue) {
  EXPECT_EQ(queue.metadata.name, "team");
  EXPECT_EQ(queue.metadata.namespace_, "");
  EXPECT_EQ(queue.cohort, "all");
  ASSERT_THAT(queue.resource_groups, SizeIs(1));
  EXPECT_THAT(queue.resource_groups[0].covered_resources, ElementsAre("nvidia.com/gpu"));
  ASSERT_THAT(queue.resource_groups[0].flavors, SizeIs(1));
  EXPECT_EQ(queue.resource_groups[0].flavors[0].flavor, "h100");
  const FlavorQuota& quota = queue.resource_groups[0].flavors[0].resources.at(0);
  EXPECT_EQ(quota.nominal, *Quantity::parse("64"));
  EXPECT_EQ(quota.borrowing_limit, *Quantity::parse("8"));
  EXPECT_EQ(quota.lending_limit, *Quantity::parse("50"));
  EXPECT_EQ(queue.preemption.reclaim_within_cohort, QueuePreemptionPolicy::kAny);
  EXPECT_EQ(queue.preemption.within_cluster_queue, QueuePreemptionPolicy::kNever);
  EXPECT_EQ(queue.preemption.borrow_within_cohort, QueuePreemptionPolicy::kLowerPriority);
  EXPECT_EQ(queue.preemption.max_priority_threshold, 100);
  EXPECT_FALSE(queue.flavor_fungibility.tries_next_before_borrowing);
  EXPECT_TRUE(queue.flavor_fungibility.tries_next_before_preempting);
  ASSERT_THAT(queue.admission_checks, SizeIs(1));
  EXPECT_EQ(queue.admission_checks[0].name, "budget");
  EXPECT_EQ(queue.fair_sharing_weight, *Quantity::parse("500m"));
  // What the definition fills in.
  EXPECT_EQ(queue.queueing_strategy, QueueingStrategy::kBestEffortFifo);
  EXPECT_EQ(queue.stop_policy, StopPolicy::kNone);
}

TEST(ClusterQueue, IsReadInBothVersions) {
  for (const std::string& text : {new_queue(), old_queue()}) {
    const Decoding decoding = decode_yaml(text);
    EXPECT_THAT(decoding.diagnostics, IsEmpty()) << text;
    ASSERT_THAT(decoding.objects.of<ClusterQueue>(), SizeIs(1)) << text;
    expect_team(decoding.objects.of<ClusterQueue>()[0]);
    EXPECT_TRUE(decoding.objects.skipped.empty());
  }
}

ClusterQueue only_queue(const std::string& text) {
  const Decoding decoding = decode_yaml(text);
  EXPECT_THAT(decoding.diagnostics, IsEmpty()) << text;
  const std::vector<ClusterQueue>& queues = decoding.objects.of<ClusterQueue>();
  EXPECT_THAT(queues, SizeIs(1)) << text;
  return queues.empty() ? ClusterQueue() : queues.front();
}

TEST(ClusterQueue, ThatSaysNothingTakesNoWorkloads) {
  for (const char* version : {"v1beta1", "v1beta2"}) {
    const ClusterQueue bare = only_queue("apiVersion: kueue.x-k8s.io/" + std::string(version) +
                                         "\nkind: ClusterQueue\nmetadata: {name: bare}\nspec: {}\n");
    EXPECT_EQ(bare.namespace_selector, std::nullopt) << "of no namespace";
    EXPECT_EQ(bare.cohort, "");
    EXPECT_EQ(bare.queueing_strategy, QueueingStrategy::kBestEffortFifo);
    EXPECT_FALSE(bare.flavor_fungibility.tries_next_before_borrowing);
    EXPECT_TRUE(bare.flavor_fungibility.tries_next_before_preempting);
    EXPECT_EQ(bare.flavor_fungibility.preference, std::nullopt);
    EXPECT_EQ(bare.preemption.reclaim_within_cohort, QueuePreemptionPolicy::kNever);
    EXPECT_EQ(bare.preemption.within_cluster_queue, QueuePreemptionPolicy::kNever);
    EXPECT_EQ(bare.preemption.borrow_within_cohort, QueuePreemptionPolicy::kNever);
    EXPECT_EQ(bare.fair_sharing_weight, std::nullopt);
    EXPECT_EQ(bare.admission_scope, std::nullopt);
  }
}

TEST(ClusterQueue, SaysWhatElseDecides) {
  const ClusterQueue said = only_queue(queue("v1beta2", R"(
  cohortName: all
  queueingStrategy: StrictFIFO
  namespaceSelector: {matchLabels: {team: a}}
  flavorFungibility: {whenCanBorrow: TryNextFlavor, whenCanPreempt: TryNextFlavor, preference: PreemptionOverBorrowing}
  admissionChecksStrategy: {admissionChecks: [{name: budget, onFlavors: [h100]}]}
  stopPolicy: HoldAndDrain
  admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}
  concurrentAdmissionPolicy: {migration: {mode: RetainFirstAdmission}}
)") + R"(
status:
  conditions:
  - {type: Active, status: "False", reason: Stopped, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"}
)");
  EXPECT_EQ(said.queueing_strategy, QueueingStrategy::kStrictFifo);
  ASSERT_TRUE(said.namespace_selector);
  EXPECT_EQ(said.namespace_selector->match_labels, (StringMap{{"team", "a"}}));
  EXPECT_TRUE(said.flavor_fungibility.tries_next_before_borrowing);
  EXPECT_EQ(said.flavor_fungibility.preference, FlavorPreference::kPreemptionOverBorrowing);
  ASSERT_THAT(said.admission_checks, SizeIs(1));
  EXPECT_THAT(said.admission_checks[0].on_flavors, ElementsAre("h100"));
  EXPECT_EQ(said.stop_policy, StopPolicy::kHoldAndDrain);
  EXPECT_EQ(said.admission_scope, AdmissionMode::kUsageBasedAdmissionFairSharing);
  EXPECT_TRUE(said.has_concurrent_admission);
  ASSERT_THAT(said.conditions, SizeIs(1));
  EXPECT_EQ(said.conditions[0].reason, "Stopped");
}

TEST(ClusterQueue, OfTheOldVersionMayStopTheSearchInOtherWords) {
  const ClusterQueue old = only_queue(
      queue("v1beta1", "  cohort: all\n  flavorFungibility: {whenCanBorrow: Borrow, whenCanPreempt: Preempt}\n"));
  EXPECT_FALSE(old.flavor_fungibility.tries_next_before_borrowing);
  EXPECT_FALSE(old.flavor_fungibility.tries_next_before_preempting);
}

/// Wherever they stand. Source: clusterqueue_conversion.go.
TEST(ClusterQueue, PlainChecksTakeThePlaceOfTheStrategy) {
  const std::string strategy = "  admissionChecksStrategy: {admissionChecks: [{name: a, onFlavors: [h100]}]}\n";
  const std::string plain = "  admissionChecks: [b, c]\n";
  for (const std::string& spec : {strategy + plain, plain + strategy}) {
    const ClusterQueue old = only_queue(queue("v1beta1", "  cohort: all\n" + spec));
    ASSERT_THAT(old.admission_checks, SizeIs(2));
    EXPECT_EQ(old.admission_checks[0].name, "b");
    EXPECT_THAT(old.admission_checks[0].on_flavors, IsEmpty());
    EXPECT_EQ(old.admission_checks[1].name, "c");
  }
  const ClusterQueue with_strategy = only_queue(queue("v1beta1", "  cohort: all\n  admissionChecks: []\n" + strategy));
  ASSERT_THAT(with_strategy.admission_checks, SizeIs(1));
  EXPECT_EQ(with_strategy.admission_checks[0].name, "a");
}

TEST(ClusterQueue, OfOneVersionIsAppliedOverThatOfAnother) {
  Objects objects = decode_yaml(old_queue()).objects;
  Objects added = decode_yaml(new_queue() + "  stopPolicy: Hold\n").objects;
  EXPECT_THAT(apply_over(objects, std::move(added)), IsEmpty());
  ASSERT_THAT(objects.of<ClusterQueue>(), SizeIs(1));
  EXPECT_EQ(objects.of<ClusterQueue>()[0].stop_policy, StopPolicy::kHold);
}

TEST(ClusterQueue, OfAnotherDefinitionIsAnErrorWhereItCannotBeRead) {
  const Decoding decoding = decode_yaml(R"(
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
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {resourceGroups: {type: string}}}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec: {resourceGroups: all}
)");
  ASSERT_THAT(decoding.diagnostics, SizeIs(1));
  EXPECT_EQ(decoding.diagnostics[0].severity, Severity::kError);
  EXPECT_EQ(decoding.diagnostics[0].path, "spec.resourceGroups");
  EXPECT_EQ(decoding.diagnostics[0].at.line, 21U);
  EXPECT_THAT(decoding.objects.of<ClusterQueue>(), IsEmpty());
}

TEST(ClusterQueue, IsReadAsAnApiServerServesIt) {
  const document::Value document = document::read_yaml(new_queue(), "queues.yaml").documents.at(0);
  const View<ClusterQueue> read = view<ClusterQueue>(document, *kind_of<ClusterQueue>().schema);
  EXPECT_THAT(read.errors, IsEmpty());
  EXPECT_EQ(read.object.cohort, "all");
  EXPECT_EQ(kind_of<ClusterQueue>().api_version, "kueue.x-k8s.io/v1beta2");
}

/// The field of an object; null: it has none of that name.
const schema::Type* field_of(const schema::Type& type, std::string_view name) {
  const schema::Field* field = type.find(name);
  if (field == nullptr) return nullptr;
  return field->type->element != nullptr ? &*field->type->element : &*field->type;
}

/// The names of rows that none of the types has.
void collect_unknown_rows(const Schema& schema, const std::vector<const schema::Type*>& types,
                          std::vector<std::string>& unknown) {
  for (const Field& row : schema.fields()) {
    std::vector<const schema::Type*> below;
    for (const schema::Type* type : types) {
      if (const schema::Type* found = field_of(*type, row.name)) below.push_back(found);
    }
    if (below.empty()) unknown.push_back(std::string(schema.name) + "." + std::string(row.name));
    // Definitions know the pods of the Kubernetes that they were made with.
    const Schema* inside = row.type.schema;
    if (inside != nullptr && inside->is_of_custom_kind()) collect_unknown_rows(*inside, below, unknown);
  }
}

/// Rows of built-in kinds are held against what is published when they are first used; these here.
TEST(CustomKindRows, AreInADefinition) {
  CustomKinds definitions({});
  std::map<std::size_t, std::vector<const schema::Type*>> types;
  for (const KindInfo& info : known_kinds()) {
    if (!info.is_custom) continue;
    const CustomKind* custom = definitions.find(info.api_version, info.kind);
    ASSERT_NE(custom, nullptr) << info.api_version << " " << info.kind;
    EXPECT_EQ(custom->resource->plural, info.plural);
    EXPECT_EQ(custom->resource->is_namespaced, info.scope == Scope::kNamespaced) << info.kind;
    types[info.number].push_back(custom->resource->type);
  }
  for (const KindInfo& info : known_kinds()) {
    std::vector<std::string> unknown;
    if (info.is_custom) collect_unknown_rows(*info.schema, types[info.number], unknown);
    EXPECT_THAT(unknown, IsEmpty()) << info.kind;
  }
}

}  // namespace
}  // namespace loadline::kube

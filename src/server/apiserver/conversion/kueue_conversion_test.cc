#include <gtest/gtest.h>

#include <string>

#include "foundation/document/reader.h"
#include "foundation/document/same_document.h"
#include "foundation/document/writer.h"
#include "server/apiserver/conversion/conversion.h"

namespace loadline::apiserver {
namespace {

using document::Value;

Value object_of(const std::string& text) { return document::read_yaml(text, "test").documents.at(0); }

struct Pair {
  const char* kind;
  std::string beta1;
  std::string beta2;
};

/// Each says the other.
const Pair kPairs[] = {
    {"ClusterQueue",
     "{spec: {cohort: all, flavorFungibility: {whenCanBorrow: MayStopSearch, whenCanPreempt: TryNextFlavor}}}",
     "{spec: {cohortName: all, flavorFungibility: {whenCanBorrow: MayStopSearch, whenCanPreempt: TryNextFlavor}}}"},
    {"LocalQueue", "{status: {flavorUsage: [{name: a}], pendingWorkloads: 1}}",
     "{status: {flavorsUsage: [{name: a}], pendingWorkloads: 1}}"},
    {"MultiKueueCluster", "{spec: {kubeConfig: {location: here}}}",
     "{spec: {clusterSource: {kubeConfig: {location: here}}}}"},
    {"Workload",
     "{spec: {priority: 1, priorityClassName: high, priorityClassSource: kueue.x-k8s.io/workloadpriorityclass}}",
     "{spec: {priority: 1, priorityClassRef: {group: kueue.x-k8s.io, kind: WorkloadPriorityClass, name: high}}}"},
    {"Workload", "{spec: {priorityClassName: high, priorityClassSource: scheduling.k8s.io/priorityclass}}",
     "{spec: {priorityClassRef: {group: scheduling.k8s.io, kind: PriorityClass, name: high}}}"},
    {"Workload",
     "{status: {accumulatedPastExexcutionTimeSeconds: 7, admission: {podSetAssignments: [{name: main, "
     "topologyAssignment: "
     "{levels: [rack, host], domains: [{values: [r, h1], count: 2}, {values: [r, h2], count: 1}]}}]}}}",
     "{status: {accumulatedPastExecutionTimeSeconds: 7, admission: {podSetAssignments: [{name: main, "
     "topologyAssignment: "
     "{levels: [rack, host], slices: [{domainCount: 2, valuesPerLevel: [{individual: {roots: [r, r]}}, {individual: "
     "{roots: [h1, h2]}}], podCounts: {individual: [2, 1]}}]}}]}}}"},
    {"ResourceFlavor", "{spec: {nodeLabels: {a: b}}}", "{spec: {nodeLabels: {a: b}}}"},
};

TEST(KueueConversion, EachVersionSaysWhatTheOtherDoes) {
  for (const Pair& each : kPairs) {
    const Value beta1 = object_of(each.beta1);
    const Value beta2 = object_of(each.beta2);
    const Value to_beta2 = convert_kueue(beta1, {"kueue.x-k8s.io", "v1beta2", each.kind});
    const Value to_beta1 = convert_kueue(beta2, {"kueue.x-k8s.io", "v1beta1", each.kind});
    EXPECT_TRUE(document::same_document(to_beta2, beta2)) << each.beta1 << ": " << document::write_json(to_beta2);
    EXPECT_TRUE(document::same_document(to_beta1, beta1)) << each.beta2 << ": " << document::write_json(to_beta1);
  }
}

TEST(KueueConversion, OlderSpellingsBecomeTheNewerOnes) {
  const Value queue = convert_kueue(
      object_of(
          "{spec: {admissionChecks: [a, b], flavorFungibility: {whenCanBorrow: Borrow, whenCanPreempt: Preempt}}}"),
      {"kueue.x-k8s.io", "v1beta2", "ClusterQueue"});
  EXPECT_TRUE(document::same_document(
      queue, object_of("{spec: {admissionChecksStrategy: {admissionChecks: [{name: a}, {name: b}]}, flavorFungibility: "
                       "{whenCanBorrow: MayStopSearch, whenCanPreempt: MayStopSearch}}}")))
      << document::write_json(queue);
}

TEST(KueueConversion, WhatTheOtherHasNoFieldForIsDropped) {
  struct Case {
    const char* kind;
    const char* version;
    const char* from;
    const char* to;
  };
  const Case cases[] = {
      {"AdmissionCheck", "v1beta2", "{spec: {controllerName: c, retryDelayMinutes: 5}}", "{spec: {controllerName: c}}"},
      {"ClusterQueue", "v1beta1", "{spec: {concurrentAdmissionPolicy: {}}}", "{spec: {}}"},
      {"ClusterQueue", "v1beta2", "{status: {pendingWorkloads: 1, pendingWorkloadsStatus: {}}}",
       "{status: {pendingWorkloads: 1}}"},
      {"LocalQueue", "v1beta2", "{status: {flavors: []}}", "{status: {}}"},
      {"Workload", "v1beta1", "{spec: {preemptionGates: []}, status: {preemptionGates: []}}", "{spec: {}, status: {}}"},
  };
  for (const Case& each : cases) {
    const Value made = convert_kueue(object_of(each.from), {"kueue.x-k8s.io", each.version, each.kind});
    EXPECT_TRUE(document::same_document(made, object_of(each.to))) << each.from << ": " << document::write_json(made);
  }
}

TEST(KueueConversion, ValuesOfTheWrongTypeStay) {
  for (const char* text :
       {"{spec: 1, status: []}",
        "{spec: {podSets: {a: 1}, admissionChecks: 5, clusterSource: x, "
        "priorityClassRef: 3}, status: {admission: [], flavorUsage: 1}}",
        "{spec: null}", "{status: {admission: {podSetAssignments: [1, {topologyAssignment: 2}]}}}"}) {
    for (const Pair& each : kPairs) {
      for (const char* version : {"v1beta1", "v1beta2"}) {
        EXPECT_TRUE(convert_kueue(object_of(text), {"kueue.x-k8s.io", version, each.kind}).is_object());
      }
    }
  }
}

}  // namespace
}  // namespace loadline::apiserver

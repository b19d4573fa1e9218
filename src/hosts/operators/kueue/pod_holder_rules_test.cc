#include "hosts/operators/kueue/pod_holder_rules.h"

#include <gtest/gtest.h>

#include <string>

#include "foundation/document/reader.h"
#include "hosts/operators/kueue/job_rules.h"

namespace loadline::operators::kueue {
namespace {

using document::Value;

Value holder_yaml(const std::string& text) { return document::read_yaml(text, "test").documents.front(); }

/// What is said of a template's change; empty: nothing.
std::string shape_faults(const std::string& before, const std::string& after) {
  kube::FieldErrors faults;
  const Value set = holder_yaml("{}");
  check_same_shape(holder_yaml(before), holder_yaml(after), "spec.template.spec", apiserver::CheckedField(faults, set));
  return aggregate(faults).value_or("");
}

std::string change_faults(const std::string& before, const std::string& after, bool is_running) {
  kube::FieldErrors faults;
  const Value set = holder_yaml("{metadata: {labels: {" + after + "}}}");
  check_pod_holder_change(holder_yaml("{metadata: {labels: {" + before + "}}}"), apiserver::CheckedField(faults, set),
                          is_running);
  return aggregate(faults).value_or("");
}

TEST(PodHolderRules, WhatPodsAskForIsFixed) {
  const std::string one = "{containers: [{name: a, image: i, resources: {requests: {cpu: '1'}}}]}";
  EXPECT_EQ(
      shape_faults(one, "{containers: [{name: b, image: j, resources: {requests: {cpu: '1'}}}], tolerations: []}"), "");
  EXPECT_EQ(shape_faults(one, "{containers: [{name: a, resources: {requests: {cpu: '2'}}}]}"),
            "spec.template.spec.containers[0].resources.requests: Invalid value: {\"cpu\":\"2\"}: field is immutable");
  EXPECT_EQ(shape_faults(one, "{containers: [{resources: {requests: {cpu: '1'}}}], nodeSelector: {pool: a}}"),
            "spec.template.spec.nodeSelector: Invalid value: {\"pool\":\"a\"}: field is immutable");
  EXPECT_NE(shape_faults(one, "{containers: [{resources: {requests: {cpu: '1'}}}, {}]}"), "");
}

TEST(PodHolderRules, QueuesAndClassesChangeWhileNothingRuns) {
  EXPECT_EQ(change_faults("kueue.x-k8s.io/queue-name: a", "kueue.x-k8s.io/queue-name: b", false), "");
  EXPECT_EQ(change_faults("kueue.x-k8s.io/queue-name: a", "kueue.x-k8s.io/queue-name: b", true),
            "metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: \"b\": field is immutable");
  EXPECT_EQ(change_faults("kueue.x-k8s.io/queue-name: a", "", false),
            "metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: \"\": field is immutable");
  EXPECT_EQ(
      change_faults("", "kueue.x-k8s.io/priority-class: p", true),
      "metadata.labels[kueue.x-k8s.io/priority-class]: Invalid value: \"p\": WorkloadPriorityClass cannot be added "
      "to a non-suspended workload");
  EXPECT_EQ(
      change_faults("kueue.x-k8s.io/priority-class: p", "", false),
      "metadata.labels[kueue.x-k8s.io/priority-class]: Invalid value: \"\": WorkloadPriorityClass cannot be removed "
      "from a workload");
  EXPECT_EQ(change_faults("kueue.x-k8s.io/priority-class: p", "kueue.x-k8s.io/priority-class: q", true), "");
}

}  // namespace
}  // namespace loadline::operators::kueue

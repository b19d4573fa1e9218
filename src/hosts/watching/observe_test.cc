#include "hosts/watching/observe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/kube/apps/apps_schema.h"
#include "objects/kube/batch/batch_schema.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/encoder.h"

namespace loadline::watching {
namespace {

using document::Value;
using document::with_at;

const Value& job() {
  static const Value& job = *new Value(document::read_yaml(R"({apiVersion: batch/v1, kind: Job,
    metadata: {name: train, namespace: default, resourceVersion: "7", labels: {a: b}, annotations: {c: d},
      managedFields: [{manager: kubectl, operation: Update}]},
    spec: {parallelism: 2, completions: 4, template: {metadata: {labels: {job: train}}, spec: {
      restartPolicy: Never, containers: [{name: main, image: x}]}}},
    status: {active: 1}})",
                                                           "test")
                                           .documents.at(0));
  return job;
}

/// What is seen of a document with the help of the one before is what is seen without it.
template <class Kind>
void expect_same_view(const Value& before, const Value& after, const kube::Schema& schema) {
  const ObjectPtr<Kind> earlier = observe<Kind>(before, nullptr);
  const ObjectPtr<Kind> helped = observe<Kind>(after, earlier.get());
  const ObjectPtr<Kind> alone = observe<Kind>(after, nullptr);
  EXPECT_EQ(document::write_json(kube::encode_object(schema, &helped->view)),
            document::write_json(kube::encode_object(schema, &alone->view)));
  EXPECT_EQ(helped->revision, alone->revision);
  EXPECT_EQ(helped->document, after);
}

TEST(Observe, SeesTheSameWithAndWithoutTheObjectBefore) {
  const Value deployment =
      with_at(with_at(job(), {"kind"}, Value("Deployment")), {"spec", "replicas"}, Value(std::int64_t{3}));
  const std::vector<Value> changes = {
      job(),
      with_at(job(), {"status", "active"}, Value(std::int64_t{2})),
      with_at(job(), {"spec", "parallelism"}, Value(std::int64_t{3})),
      with_at(job(), {"metadata", "labels", "a"}, Value("z")),
      with_at(job(), {"metadata", "annotations", "more"}, Value("z")),
      document::without_at(job(), {"metadata", "labels"}),
      document::without_at(job(), {"metadata", "annotations"}),
      document::without_at(job(), {"spec"}),
      document::without_at(job(), {"metadata"}),
  };
  for (const Value& change : changes) {
    expect_same_view<kube::Job>(job(), change, kube::kJobSchema);
    expect_same_view<kube::Job>(change, job(), kube::kJobSchema);
    expect_same_view<kube::Deployment>(deployment, change, kube::kDeploymentSchema);
    expect_same_view<kube::Pod>(job(), change, kube::kPodSchema);
  }
}

TEST(Observe, WhatDidNotChangeIsShared) {
  const ObjectPtr<kube::Job> before = observe<kube::Job>(job(), nullptr);
  const Value changed = with_at(job(), {"status", "active"}, Value(std::int64_t{2}));
  const ObjectPtr<kube::Job> after = observe<kube::Job>(changed, before.get());
  EXPECT_EQ(after->view.status.active, 2);
  EXPECT_EQ(after->view.spec.template_.spec, before->view.spec.template_.spec);
  EXPECT_EQ(&after->view.metadata.labels.members(), &before->view.metadata.labels.members());
  EXPECT_EQ(&after->view.metadata.annotations.members(), &before->view.metadata.annotations.members());
}

TEST(Observe, KindsWhoseSpecIsSpreadAreReadWhole) {
  EXPECT_TRUE(reads_spec_whole(kube::kJobSchema));
  EXPECT_TRUE(reads_spec_whole(kube::kPodSchema));
  EXPECT_FALSE(reads_spec_whole(kube::kDeploymentSchema));
}

}  // namespace
}  // namespace loadline::watching

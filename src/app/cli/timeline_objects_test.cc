#include "app/cli/timeline_objects.h"

#include <gtest/gtest.h>

#include <string_view>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace loadline::cli {
namespace {

/// The objects as JSON, one a line.
std::string applied(std::string_view cluster, std::string_view manifests) {
  PlanInput input;
  for (const std::string_view text : {cluster, manifests}) {
    if (text == manifests) input.cluster_documents = input.documents.size();
    for (document::Value& value : document::read(std::string(text), "input.yaml").documents) {
      input.documents.push_back({std::move(value), "input.yaml"});
    }
  }
  Diagnostics notes;
  std::string lines;
  for (const document::Value& object : timeline_objects(input, kube::RetiredVersions::kRefused, notes)) {
    lines += document::write_json(object) + "\n";
  }
  EXPECT_TRUE(notes.empty());
  return lines;
}

TEST(TimelineObjects, TakeTheOldOnesPlaceAndKeepWhatTheClusterKnows) {
  EXPECT_EQ(
      applied(R"(apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default, uid: u1, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {replicas: 1}
status: {replicas: 1}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Pod, metadata: {name: run, namespace: default}, spec: {nodeName: a}}
)",
              R"(apiVersion: v1
kind: Pod
metadata: {name: run}
spec: {}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {replicas: 3}
---
apiVersion: v1
kind: Pod
metadata: {generateName: new-}
---
apiVersion: v1
kind: Pod
metadata: {generateName: new-}
---
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
)"),
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","uid":"u1",)"
      R"("creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"replicas":3},"status":{"replicas":1}})"
      "\n"
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"run","namespace":"default"},"spec":{"nodeName":"a"}})"
      "\n"
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"new-"}})"
      "\n"
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"new-"}})"
      "\n");
}

TEST(TimelineObjects, AreWithoutWhatIsFaulty) {
  PlanInput input;
  for (const char* text : {"{apiVersion: v1, kind: Pod, metadata: {name: bad}, spec: {containers: 3}}",
                           "{apiVersion: v1, kind: Namespace, metadata: {name: good}}"}) {
    input.documents.push_back({document::read(text, "input.yaml").documents.front(), "input.yaml"});
  }
  input.diagnostics.emplace_back();  // an error
  Diagnostics notes;
  const std::vector<document::Value> objects = timeline_objects(input, kube::RetiredVersions::kRefused, notes);
  ASSERT_EQ(objects.size(), 1U);
  EXPECT_EQ(document::write_json(objects[0]), R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"good"}})");
}

TEST(TimelineObjects, HoldTheNodesOfAKindCluster) {
  const std::string objects = applied(
      "", "apiVersion: kind.x-k8s.io/v1alpha4\nkind: Cluster\nnodes: [{role: control-plane}, {role: worker}]\n");
  EXPECT_NE(objects.find(R"("kind":"Node")"), std::string::npos) << objects;
  EXPECT_EQ(objects.find(R"("kind":"Cluster")"), std::string::npos) << objects;
}

}  // namespace
}  // namespace loadline::cli

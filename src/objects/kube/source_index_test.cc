#include "objects/kube/source_index.h"

#include <gtest/gtest.h>

#include "foundation/document/reader.h"
#include "objects/kube/config/scheduler_configuration.h"
#include "objects/kube/core/pod.h"

namespace loadline::kube {
namespace {

constexpr const char* kText = R"(apiVersion: v1
kind: Pod
metadata:
  name: a
spec:
  nodeSelector:
    gpu: t4
  containers: [{name: main, image: "web:1"}]
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: b}
  spec: {priorityClassName: high, containers: [{name: main, image: "web:1"}]}
---
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: one
  pluginConfig: []
)";

std::vector<SourceDocument> documents() {
  std::vector<SourceDocument> result;
  for (const document::Value& value : document::read(kText, "all.yaml").documents)
    result.push_back({value, "all.yaml"});
  return result;
}

SourcePosition at(std::uint32_t line, std::uint32_t column) {
  return {std::make_shared<const std::string>("all.yaml"), line, column};
}

TEST(SourceIndex, FindsFieldsOfDocumentsOfListsAndOfProfiles) {
  const SourceIndex index(documents());
  const SourcePosition selector = index.locate(at(1, 1), "spec.nodeSelector[gpu]");
  EXPECT_EQ(selector.line, 7U);
  EXPECT_EQ(selector.column, 10U);
  EXPECT_EQ(*selector.file, "all.yaml");
  EXPECT_EQ(index.locate(at(13, 3), "spec.priorityClassName").line, 16U);
  EXPECT_EQ(index.locate(at(21, 3), "pluginConfig").line, 22U);
}

TEST(SourceIndex, StaysAtTheObjectWhereItKnowsNoMore) {
  const SourceIndex index(documents());
  EXPECT_EQ(index.locate(at(1, 1), "spec.tolerations").line, 5U);
  EXPECT_EQ(index.locate(at(3, 1), "spec").line, 3U);
  EXPECT_EQ(index.find({}), nullptr);
  EXPECT_EQ(SourceIndex().locate(at(1, 1), "spec").line, 1U);
}

TEST(SourceIndex, DecodingAndIndexAgreeOnWhereObjectsBegin) {
  const std::vector<SourceDocument> read = documents();
  const Decoding decoding = decode(read);
  const SourceIndex index(read);
  ASSERT_EQ(decoding.objects.of<Pod>().size(), 2U);
  for (const Pod& pod : decoding.objects.of<Pod>())
    EXPECT_NE(index.find(pod.metadata.source), nullptr) << pod.metadata.name;
  ASSERT_EQ(decoding.objects.of<SchedulerConfiguration>().size(), 1U);
  EXPECT_NE(index.find(decoding.objects.of<SchedulerConfiguration>().front().profiles.front().source), nullptr);
}

}  // namespace
}  // namespace loadline::kube

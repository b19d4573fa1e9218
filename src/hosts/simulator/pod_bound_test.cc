#include "hosts/simulator/pod_bound.h"

#include <gtest/gtest.h>

#include <string>

#include "hosts/simulator/change.h"
#include "hosts/simulator/plan.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::simulator {
namespace {

kube::Objects cluster(const std::string& more) {
  const std::string node =
      "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 8, pods: 110}}\n";
  return std::move(kube::decode_text(node + "---\n" + more).objects);
}

std::string deployment(const std::string& name, std::int64_t replicas, const std::string& of_pods = "") {
  return "{apiVersion: apps/v1, kind: Deployment, metadata: {name: " + name +
         ", namespace: default}, spec: {replicas: " + std::to_string(replicas) +
         ", selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}" + of_pods +
         "}, spec: {containers: [{name: c, image: i}]}}}}\n---\n";
}

TEST(PodBound, SaysWhichNumberIsTooHigh) {
  const auto wrong = pods_beyond(1000, cluster(deployment("web", 2'147'483'647)));
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->subject, "Deployment default/web");
  EXPECT_EQ(wrong->path, "spec.replicas");
  EXPECT_EQ(wrong->message, "makes 2147483647 pods, more than 1000");
  EXPECT_EQ(wrong->hint, "--max-pods raises it");
  EXPECT_FALSE(pods_beyond(1000, cluster(deployment("web", 1000))));
}

TEST(PodBound, NamesTheLargestOfManyThatAreSmall) {
  const auto wrong = pods_beyond(100, cluster(deployment("a", 50) + deployment("b", 60)));
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->subject, "Deployment default/b");
  EXPECT_EQ(wrong->message, "makes 60 pods, the most of 110 in all, more than 100");
}

/// Each pod has the labels and annotations of its template.
TEST(PodBound, LargeTemplatesCountForMore) {
  const std::string large = ", annotations: {text: '" + std::string(200'000, 'x') + "'}";
  const auto wrong = pods_beyond(1000, cluster(deployment("web", 900, large)));
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->message, "makes 900 pods of a template so large that they count as 44100, more than 1000");
  EXPECT_FALSE(pods_beyond(1000, cluster(deployment("web", 9, large))));
}

TEST(PodBound, PlansAndChangesAskFirst) {
  const kube::Objects objects = cluster(deployment("web", 11));
  PlanOptions options;
  options.most_pods = 10;
  const auto plan = make_plan(objects, {}, options);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().message,
            "Deployment default/web: spec.replicas: makes 11 pods, more than 10 (--max-pods raises it)");
  Change change;
  change.scaled = {"deployment/web=2147483647"};
  const auto changed = apply(change, objects, 0, 1);
  ASSERT_FALSE(changed);
  EXPECT_NE(changed.error().message.find("spec.replicas: makes 2147483647 pods"), std::string::npos)
      << changed.error().message;
}

}  // namespace
}  // namespace loadline::simulator

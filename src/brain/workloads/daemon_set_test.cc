#include <gtest/gtest.h>

#include "brain/workloads/testing/objects.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/core/node.h"

namespace loadline::workloads {
namespace {

using kube::TaintEffect;
using testing::kNow;
using testing::kSeed;
using testing::owned_pod;
using testing::workload;

kube::Node node(std::string name, kube::StringMap labels = {}, std::vector<kube::Taint> taints = {}) {
  kube::Node result;
  result.metadata.name = std::move(name);
  result.metadata.labels = std::move(labels);
  result.taints = std::move(taints);
  return result;
}

std::vector<std::string> targets(const Expansion& expansion) {
  std::vector<std::string> result;
  for (const CreatedPod& created : expansion.pods) {
    const kube::NodeSelectorTerm& term = created.pod.spec->affinity.value().node.value().required.value().terms.at(0);
    result.push_back(term.match_fields.at(0).values.at(0));
  }
  return result;
}

TEST(DaemonSet, PutsAPodOnEachEligibleNode) {
  kube::Objects objects;
  objects.of<kube::Node>() = {
      node("plain"), node("gpu", {{"gpu", "yes"}}),
      node("tainted", {{"gpu", "yes"}}, {{"dedicated", "ml", TaintEffect::kNoSchedule, {}}}),
      node("soft", {{"gpu", "yes"}}, {{"dedicated", "ml", TaintEffect::kPreferNoSchedule, {}}}),
      node("cordoned", {{"gpu", "yes"}}, {{"node.kubernetes.io/unschedulable", "", TaintEffect::kNoSchedule, {}}})};
  objects.of<kube::DaemonSet>() = {workload<kube::DaemonSet>("agent")};
  auto spec = std::make_shared<kube::PodSpec>(*objects.of<kube::DaemonSet>()[0].template_.spec);
  spec->node_selector = {{"gpu", "yes"}};
  objects.of<kube::DaemonSet>()[0].template_.spec = spec;
  const Expansion expansion = expand(objects, kNow, kSeed);
  EXPECT_EQ(targets(expansion), (std::vector<std::string>{"gpu", "soft", "cordoned"}));
  EXPECT_EQ(expansion.pods[0].pod.metadata.generate_name, "agent-");
}

TEST(DaemonSet, ToleratesWhatDaemonsMustInUpstreamsOrder) {
  kube::Objects objects;
  objects.of<kube::Node>() = {node("a")};
  objects.of<kube::DaemonSet>() = {workload<kube::DaemonSet>("agent")};
  auto spec = std::make_shared<kube::PodSpec>(*objects.of<kube::DaemonSet>()[0].template_.spec);
  spec->host_network = true;
  spec->tolerations = {
      {"node.kubernetes.io/disk-pressure", kube::TolerationOperator::kExists, "", TaintEffect::kNoSchedule, {}}};
  objects.of<kube::DaemonSet>()[0].template_.spec = spec;
  std::vector<std::string> keys;
  const Expansion expansion = expand(objects, kNow, kSeed);
  for (const auto& toleration : expansion.pods.at(0).pod.spec->tolerations) {
    keys.push_back(toleration.key.substr(toleration.key.find('/') + 1));
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"disk-pressure", "not-ready", "unreachable", "memory-pressure",
                                            "pid-pressure", "unschedulable", "network-unavailable"}));
}

TEST(DaemonSet, ReplacesRequiredNodeAffinityAfterJudgingByIt) {
  kube::Objects objects;
  objects.of<kube::Node>() = {node("a", {{"zone", "1"}}), node("b", {{"zone", "2"}})};
  objects.of<kube::DaemonSet>() = {workload<kube::DaemonSet>("agent")};
  auto spec = std::make_shared<kube::PodSpec>(*objects.of<kube::DaemonSet>()[0].template_.spec);
  kube::NodeSelectorTerm term;
  term.match_expressions = {{"zone", kube::NodeSelectorOperator::kNotIn, {"1"}}};
  spec->affinity.emplace();
  spec->affinity->node.emplace();
  spec->affinity->node->required = kube::NodeSelector{{term}};
  objects.of<kube::DaemonSet>()[0].template_.spec = spec;
  const Expansion expansion = expand(objects, kNow, kSeed);
  EXPECT_EQ(targets(expansion), std::vector<std::string>{"b"});
  EXPECT_TRUE(expansion.pods[0].pod.spec->affinity->node->required->terms[0].match_expressions.empty());
}

TEST(DaemonSet, LeavesNodesAloneThatHaveItsPod) {
  kube::Objects objects;
  objects.of<kube::Node>() = {node("a"), node("b"), node("c")};
  objects.of<kube::DaemonSet>() = {workload<kube::DaemonSet>("agent")};
  for (const char* name : {"a", "b"}) {
    kube::Pod pod = owned_pod(name, "DaemonSet", "agent");
    auto spec = std::make_shared<kube::PodSpec>();
    spec->node_name = name;
    pod.spec = spec;
    objects.of<kube::Pod>().push_back(pod);
  }
  objects.of<kube::Pod>()[1].status.phase = kube::PodPhase::kFailed;
  EXPECT_EQ(targets(expand(objects, kNow, kSeed)), (std::vector<std::string>{"b", "c"}));
}

TEST(DaemonSet, WithoutAnEligibleNodeSaysSo) {
  kube::Objects objects;
  objects.of<kube::DaemonSet>() = {workload<kube::DaemonSet>("agent")};
  const Expansion expansion = expand(objects, kNow, kSeed);
  ASSERT_EQ(expansion.notes.size(), 1U);
  EXPECT_EQ(expansion.notes[0].message, "no node is eligible for its pods");
}

}  // namespace
}  // namespace loadline::workloads

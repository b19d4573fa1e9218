// `plan` and `up` make the same pods of what is written for operators: of the same names, with the same labels and
// annotations; and where a group or a Job is to have a domain to itself, both give it one.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "brain/workloads/expansion.h"
#include "hosts/embedded/testing/cluster_fixture.h"
#include "hosts/simulator/plan.h"
#include "hosts/watching/observe.h"
#include "objects/kube/codec.h"
#include "objects/kube/workload_names.h"
#include "plan_vs_live/operator_draft.h"

namespace loadline::plan_vs_live {
namespace {

using document::Value;
using ::testing::ContainerEq;

constexpr int kRacks = 12;
constexpr std::uint64_t kSeeds = 40;

/// What both must agree on: not what names a running object or a revision, nor characters that are drawn by chance.
std::string text_of(const kube::Pod& pod) {
  static constexpr std::array<std::string_view, 14> kOfTheLiving = {"controller-revision-hash",
                                                                    "controller-uid",
                                                                    "batch.kubernetes.io/controller-uid",
                                                                    kube::kJobSetUid,
                                                                    kube::kLwsRevision,
                                                                    kube::kJobSetJobKey,
                                                                    "scheduling.k8s.io/group-name",
                                                                    "ray.io/kuberay-version",
                                                                    "ray.io/upgrade-strategy-recreate-hash",
                                                                    "ray.io/worker-group-replica-name",
                                                                    kube::kJobSetPriority,
                                                                    kube::kGroveTemplateHash};
  const auto text = [](kube::StringMap map) {
    for (const std::string_view each : kOfTheLiving) map.erase(std::string(each));
    std::string all;
    for (const auto& [key, value] : map) all += ' ' + key + '=' + value;
    return all;
  };
  const kube::ObjectMeta& metadata = pod.metadata;
  const bool is_named = metadata.generate_name.empty() || metadata.controller()->kind == "StatefulSet";
  const std::string& name = is_named ? metadata.name : metadata.generate_name;
  return name + ':' + text(metadata.labels) + ';' + text(metadata.annotations);
}

Value rack_node(int number) {
  Value node = embedded::testing::node(fmt::format("n{}", number));
  return document::with_at(node, {"metadata", "labels", "rack"}, Value(fmt::format("r{}", number % kRacks)));
}

class OperatorAgreement : public embedded::testing::ClusterTest {
 protected:
  using Pods = std::multiset<std::string>;

  void begin() {
    std::vector<Value> nodes;
    for (int i = 0; i < 2 * kRacks; ++i) nodes.push_back(rack_node(i));
    start(nodes);
  }

  static kube::Decoding decoded(const std::vector<std::string>& texts) {
    std::vector<kube::SourceDocument> documents;
    for (const std::string& text : texts) documents.push_back({embedded::testing::yaml(text), "test"});
    for (int i = 0; i < 2 * kRacks; ++i) documents.push_back({rack_node(i), "test"});
    return kube::decode(documents);
  }

  Pods planned(const std::vector<std::string>& texts) const {
    Pods pods;
    const kube::Decoding decoding = decoded(texts);
    for (const auto& each : workloads::expand(decoding.objects, loop_.now(), 1).pods) pods.insert(text_of(each.pod));
    return pods;
  }

  Pods lived() {
    Pods pods;
    for (const Value& pod : list(embedded::testing::kPods)) {
      pods.insert(text_of(watching::read_view<kube::Pod>(pod)));
    }
    return pods;
  }

  /// The racks of each group and Job that has pods of that cluster; each pod has a node.
  using Racks = std::map<std::string, std::set<std::string>>;
  static void add_rack(Racks& racks, const kube::Pod& pod, const std::string& node) {
    ASSERT_FALSE(node.empty()) << pod.metadata.name << " waits";
    for (const std::string_view label : {kube::kLwsGroupKey, std::string_view("batch.kubernetes.io/job-name")}) {
      const auto key = pod.metadata.labels.find(label);
      if (key == pod.metadata.labels.end()) continue;
      racks[key->second].insert(fmt::format("r{}", std::stoi(node.substr(1)) % kRacks));
    }
  }
};

bool is_exclusive(const std::string& text) { return text.find("exclusive-topology: rack") != std::string::npos; }

TEST_F(OperatorAgreement, PlanAndClusterMakeTheSamePods) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    OperatorDraft draft(seed);
    const bool is_group = seed % 2 == 0;
    const std::string text = is_group ? draft.leader_worker_set() : draft.job_set();
    begin();
    apply(is_group ? kube::ResourceReference{"leaderworkerset.x-k8s.io", "v1", "leaderworkersets", "default"}
                   : kube::ResourceReference{"jobset.x-k8s.io", "v1alpha2", "jobsets", "default"},
          text);
    loop_.advance(Duration::seconds(60));
    EXPECT_TRUE(cluster_->is_idle());
    ASSERT_THAT(lived(), ContainerEq(planned({text}))) << "seed " << seed << ": " << text;
    Racks racks;
    for (const Value& pod : list(embedded::testing::kPods)) {
      add_rack(racks, watching::read_view<kube::Pod>(pod), std::string(document::text_at(pod, {"spec", "nodeName"})));
    }
    if (!is_exclusive(text)) continue;
    std::set<std::string> taken;
    for (const auto& [key, own] : racks) {
      EXPECT_EQ(own.size(), 1U) << "seed " << seed << ": " << key;
      EXPECT_TRUE(taken.insert(*own.begin()).second) << "seed " << seed << ": two in one rack";
    }
  }
}

TEST_F(OperatorAgreement, PlanAndClusterMakeTheSamePodsOfKindsWithoutGroups) {
  struct Kind {
    kube::ResourceReference of;
    std::string (OperatorDraft::*draft)();
  };
  const Kind kinds[] = {
      {{"kubeflow.org", "v1", "pytorchjobs", "default"}, &OperatorDraft::pytorch_job},
      {{"batch.volcano.sh", "v1alpha1", "jobs", "default"}, &OperatorDraft::volcano_job},
      {{"ray.io", "v1", "rayclusters", "default"}, &OperatorDraft::ray_cluster},
      {{"grove.io", "v1alpha1", "podcliquesets", "default"}, &OperatorDraft::pod_clique_set},
  };
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    OperatorDraft draft(seed);
    const Kind& kind = kinds[seed % std::size(kinds)];
    const std::string text = (draft.*kind.draft)();
    begin();
    apply(kind.of, text);
    loop_.advance(Duration::seconds(60));
    EXPECT_TRUE(cluster_->is_idle());
    EXPECT_THAT(lived(), ContainerEq(planned({text}))) << "seed " << seed << ": " << text;
    for (const auto& [what, count] : pods()) {
      EXPECT_TRUE(what.starts_with("Running on n")) << "seed " << seed << ": " << count << ' ' << what;
    }
  }
}

TEST_F(OperatorAgreement, PlanPlacesWhatTheClusterPlaces) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    OperatorDraft draft(seed);
    const std::vector<std::string> texts = {draft.leader_worker_set(), draft.job_set()};
    const kube::Decoding decoding = decoded(texts);
    simulator::PlanOptions options;
    options.now = loop_.now();
    options.seed = seed;
    const Result<simulator::Plan> plan = simulator::make_plan(decoding.objects, {}, options);
    ASSERT_TRUE(plan) << plan.error().message;
    begin();
    apply({"leaderworkerset.x-k8s.io", "v1", "leaderworkersets", "default"}, texts[0]);
    apply({"jobset.x-k8s.io", "v1alpha2", "jobsets", "default"}, texts[1]);
    loop_.advance(Duration::seconds(60));
    std::size_t placed = 0;
    for (const simulator::PlannedPod& pod : plan->pods) placed += pod.node.empty() ? 0 : 1;
    std::size_t running = 0;
    for (const auto& [what, count] : pods()) running += what.starts_with("Running on n") ? count : 0;
    EXPECT_EQ(placed, plan->pods.size()) << "seed " << seed << ": " << texts[0] << '\n' << texts[1];
    EXPECT_EQ(running, placed) << "seed " << seed << ": " << texts[0] << '\n' << texts[1];
  }
}

}  // namespace
}  // namespace loadline::plan_vs_live

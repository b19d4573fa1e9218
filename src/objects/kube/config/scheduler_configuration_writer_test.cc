#include "objects/kube/config/scheduler_configuration_writer.h"

#include <gtest/gtest.h>

#include <string>

#include "foundation/document/writer.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::kube {
namespace {

SchedulerConfiguration read(const std::string& text) {
  Decoding decoding = decode_text(text);
  for (const Diagnostic& diagnostic : decoding.diagnostics) ADD_FAILURE() << diagnostic.to_string();
  return decoding.objects.of<SchedulerConfiguration>().at(0);
}

std::string written(const SchedulerConfiguration& configuration) {
  return document::write_json(write_scheduler_configuration(configuration));
}

constexpr const char* kFull = R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
percentageOfNodesToScore: 0
podMaxBackoffSeconds: 30
profiles:
- schedulerName: packed
  percentageOfNodesToScore: 40
  plugins:
    score: {disabled: [{name: "*"}], enabled: [{name: NodeResourcesFit, weight: 7}]}
  pluginConfig:
  - name: NodeResourcesFit
    args:
      ignoredResources: [example.com/foo]
      scoringStrategy:
        type: RequestedToCapacityRatio
        resources: [{name: nvidia.com/gpu, weight: 5}]
        requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}
  - {name: DefaultPreemption, args: {minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 3}}
  - {name: InterPodAffinity, args: {hardPodAffinityWeight: 0, ignorePreferredTermsOfExistingPods: true}}
  - {name: VolumeBinding, args: {bindTimeoutSeconds: 0}}
  - name: PodTopologySpread
    args:
      defaultingType: List
      defaultConstraints: [{maxSkew: 2, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]
  - name: NodeAffinity
    args:
      addedAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms: [{matchExpressions: [{key: pool, operator: In, values: [a]}]}]
- schedulerName: plain
)";

TEST(SchedulerConfigurationWriter, WhatIsWrittenIsReadAsItWas) {
  const SchedulerConfiguration before = read(kFull);
  const std::string text = written(before);
  const SchedulerConfiguration after = read(text);
  EXPECT_EQ(written(after), text);

  ASSERT_EQ(after.profiles.size(), 2U);
  const SchedulerProfile& packed = after.profiles[0];
  EXPECT_EQ(after.percentage_of_nodes_to_score, 0);
  EXPECT_EQ(after.pod_max_backoff_seconds, 30);
  EXPECT_EQ(packed.scheduler_name, "packed");
  EXPECT_EQ(packed.percentage_of_nodes_to_score, 40);
  EXPECT_EQ(packed.plugins.score.disabled.at(0).name, "*");
  EXPECT_EQ(packed.plugins.score.enabled.at(0).weight, 7);
  EXPECT_EQ(packed.args.fit.strategy, ScoringStrategyType::kRequestedToCapacityRatio);
  EXPECT_EQ(packed.args.fit.shape.at(1).score, 10);
  EXPECT_EQ(packed.args.fit.ignored_resources.at(0), "example.com/foo");
  EXPECT_EQ(packed.args.fit.resources.at(0).weight, 5);
  EXPECT_EQ(packed.args.spread.defaulting, SpreadDefaulting::kList);
  EXPECT_EQ(packed.args.spread.default_constraints.at(0).max_skew, 2);
  EXPECT_TRUE(packed.args.node_affinity.added_affinity);
}

/// Zero is another number than what an absent field stands for.
TEST(SchedulerConfigurationWriter, ZeroIsWritten) {
  const SchedulerProfile packed = read(written(read(kFull))).profiles.at(0);
  EXPECT_EQ(packed.args.preemption.min_candidate_nodes_percentage, 0);
  EXPECT_EQ(packed.args.preemption.min_candidate_nodes_absolute, 3);
  EXPECT_EQ(packed.args.inter_pod_affinity.hard_pod_affinity_weight, 0);
  EXPECT_TRUE(packed.args.inter_pod_affinity.ignore_preferred_terms_of_existing_pods);
  EXPECT_EQ(packed.args.volume_binding.bind_timeout_seconds, 0);
}

TEST(SchedulerConfigurationWriter, TheDefaultIsReadAsTheDefault) {
  const std::string text = written(SchedulerConfiguration{});
  EXPECT_EQ(written(read(text)), text);
  EXPECT_FALSE(read(text).percentage_of_nodes_to_score);
}

}  // namespace
}  // namespace loadline::kube

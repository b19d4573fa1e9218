#include "objects/kube/config/scheduler_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "objects/kube/core/service.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names_of(const std::vector<PluginReference>& references) {
  std::vector<std::string> names;
  for (const PluginReference& reference : references) {
    names.push_back(reference.name + (reference.weight == 0 ? "" : ":" + std::to_string(reference.weight)));
  }
  return names;
}

TEST(SchedulerConfiguration, HasUpstreamsDefaults) {
  const Decoding decoding = decode_configuration("");
  EXPECT_THAT(lines_of(decoding.diagnostics), IsEmpty());
  ASSERT_EQ(decoding.objects.of<SchedulerConfiguration>().size(), 1U);
  const SchedulerConfiguration& configuration = decoding.objects.of<SchedulerConfiguration>()[0];
  EXPECT_EQ(configuration.percentage_of_nodes_to_score, std::nullopt);
  EXPECT_EQ(configuration.pod_max_backoff_seconds, 10);
  ASSERT_EQ(configuration.profiles.size(), 1U);
  EXPECT_EQ(configuration.profiles[0].scheduler_name, "default-scheduler");
  EXPECT_EQ(configuration.profiles[0].args.fit.resources.size(), 2U);
}

TEST(SchedulerConfiguration, ReadsProfilesWithTheirPluginsAndArguments) {
  const Decoding decoding = decode_configuration(R"(
parallelism: 4
leaderElection: {leaderElect: true, leaseDuration: 15s}
clientConnection: {qps: 50, burst: 100}
percentageOfNodesToScore: 0
podInitialBackoffSeconds: 2
profiles:
- schedulerName: packing
  percentageOfNodesToScore: 30
  plugins:
    multiPoint: {enabled: [{name: NodeResourcesFit, weight: 5}], disabled: [{name: ImageLocality}]}
    score: {disabled: [{name: "*"}], enabled: [{name: NodeAffinity, weight: 2}]}
  pluginConfig:
  - name: NodeResourcesFit
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: NodeResourcesFitArgs
      ignoredResourceGroups: [example.com]
      scoringStrategy:
        type: RequestedToCapacityRatio
        resources: [{name: nvidia.com/gpu, weight: 3}, {name: cpu}]
        requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}
  - name: InterPodAffinity
    args: {hardPodAffinityWeight: 9}
  - name: PodTopologySpread
    args:
      defaultingType: List
      defaultConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]
  - name: NodeAffinity
    args: {addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
      {matchExpressions: [{key: pool, operator: Exists}]}]}}}
  - name: DefaultPreemption
    args: {minCandidateNodesPercentage: 20}
  - name: VolumeBinding
    args: {bindTimeoutSeconds: 5}
- schedulerName: spreading
)");
  EXPECT_THAT(lines_of(decoding.diagnostics), IsEmpty());
  ASSERT_EQ(decoding.objects.of<SchedulerConfiguration>().size(), 1U);
  const SchedulerConfiguration& configuration = decoding.objects.of<SchedulerConfiguration>()[0];
  EXPECT_EQ(configuration.percentage_of_nodes_to_score, 0);
  EXPECT_EQ(configuration.pod_initial_backoff_seconds, 2);
  ASSERT_EQ(configuration.profiles.size(), 2U);
  const SchedulerProfile& profile = configuration.profiles[0];
  EXPECT_EQ(profile.percentage_of_nodes_to_score, 30);
  EXPECT_THAT(names_of(profile.plugins.multi_point.enabled), ElementsAre("NodeResourcesFit:5"));
  EXPECT_THAT(names_of(profile.plugins.multi_point.disabled), ElementsAre("ImageLocality"));
  EXPECT_THAT(names_of(profile.plugins.score.disabled), ElementsAre("*"));
  const PluginArgs& args = profile.args;
  EXPECT_EQ(args.fit.strategy, ScoringStrategyType::kRequestedToCapacityRatio);
  EXPECT_EQ(args.fit.resources.at(0).weight, 3);
  EXPECT_EQ(args.fit.resources.at(1).weight, 1);
  EXPECT_EQ(args.fit.shape.at(1).score, 10);
  EXPECT_THAT(args.fit.ignored_resource_groups, ElementsAre("example.com"));
  EXPECT_EQ(args.inter_pod_affinity.hard_pod_affinity_weight, 9);
  EXPECT_EQ(args.spread.defaulting, SpreadDefaulting::kList);
  EXPECT_EQ(args.spread.default_constraints.size(), 1U);
  EXPECT_EQ(args.node_affinity.added_affinity->required->terms.size(), 1U);
  EXPECT_EQ(args.preemption.min_candidate_nodes_percentage, 20);
  EXPECT_EQ(args.volume_binding.bind_timeout_seconds, 5);
  EXPECT_EQ(configuration.profiles[1].scheduler_name, "spreading");
}

struct ConfigurationMistake {
  std::string_view name;
  std::string_view fields;  ///< their first line is line 3
  std::string_view line;
  std::string_view hint;
};

class ConfigurationMistakes : public testing::TestWithParam<ConfigurationMistake> {};

TEST_P(ConfigurationMistakes, AreReportedWithPlaceWordsAndCure) {
  const Decoding decoding = decode_configuration(GetParam().fields);
  EXPECT_THAT(lines_of(decoding.diagnostics), ElementsAre(std::string(GetParam().line)));
  EXPECT_THAT(hints_of(decoding.diagnostics), ElementsAre(std::string(GetParam().hint)));
  EXPECT_THAT(decoding.objects.of<SchedulerConfiguration>(), IsEmpty());
}

const ConfigurationMistake kConfigurationMistakes[] = {
    {"UnknownExtensionPoint", "profiles: [{plugins: {scores: {}}}]\n",
     "3:23 error profiles[0].plugins.scores: unknown field \"profiles[0].plugins.scores\"", "did you mean \"score\"?"},
    {"UnknownArgument", "profiles: [{pluginConfig: [{name: VolumeBinding, args: {timeout: 3}}]}]\n",
     "3:57 error profiles[0].pluginConfig[0].args.timeout: unknown field \"profiles[0].pluginConfig[0].args.timeout\"",
     ""},
    {"ArgumentsThatNoneReads", "profiles: [{pluginConfig: [{name: NodePorts, args: {a: 3}}]}]\n",
     "3:52 error profiles[0].pluginConfig[0].args: plugin \"NodePorts\" takes no arguments", ""},
    {"ArgumentsTwice", "profiles: [{pluginConfig: [{name: NodePorts}, {name: NodePorts}]}]\n",
     "3:54 error profiles[0].pluginConfig[1]: Duplicate value: \"NodePorts\"", "give each plugin one entry"},
    {"UnknownStrategy",
     "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: Most}}}]}]\n",
     "3:84 error profiles[0].pluginConfig[0].args.scoringStrategy.type: Unsupported value: \"Most\": supported values: "
     "\"LeastAllocated\", \"MostAllocated\", \"RequestedToCapacityRatio\"",
     ""},
    {"DurationWithoutUnit", "leaderElection: {leaseDuration: 15}\n",
     "3:33 error leaderElection.leaseDuration: expected a duration such as \"15s\", got number 15",
     "write a unit, in quotes: \"15s\""},
    {"DurationThatIsNone", "leaderElection: {leaseDuration: 15 seconds}\n",
     "3:33 error leaderElection.leaseDuration: time: unknown unit \" seconds\" in duration \"15 seconds\"",
     "write it as \"1m30s\""},
};

INSTANTIATE_TEST_SUITE_P(SchedulerConfiguration, ConfigurationMistakes, testing::ValuesIn(kConfigurationMistakes),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(SchedulerConfiguration, RefusesVersionsItCannotRead) {
  const Decoding decoding =
      decode_text("apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\n");
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre("1:13 error apiVersion: no kind \"KubeSchedulerConfiguration\" is registered for version "
                          "\"kubescheduler.config.k8s.io/v1alpha1\""));
  EXPECT_THAT(decoding.objects.of<SchedulerConfiguration>(), IsEmpty());
}

TEST(SchedulerConfiguration, ReadsLaterBetaVersionsWithAWarning) {
  const Decoding decoding =
      decode_text("apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n");
  ASSERT_EQ(decoding.diagnostics.size(), 1U);
  EXPECT_EQ(decoding.diagnostics[0].severity, Severity::kWarning);
  EXPECT_EQ(decoding.objects.of<SchedulerConfiguration>().size(), 1U);
}

// ---- plugins that are no more --------------------------------------------------------------------------------------

const SchedulerProfile& only_profile(const Decoding& decoding) {
  return decoding.objects.of<SchedulerConfiguration>().at(0).profiles.at(0);
}

TEST(RetiredPlugins, MostAllocatedBecomesAStrategyOfFitWithItsWeight) {
  const Decoding decoding = decode_configuration(R"(profiles:
- schedulerName: bin-packing-scheduler
  plugins:
    score:
      disabled:
      - name: NodeResourcesBalancedAllocation
      enabled:
      - name: NodeResourcesMostAllocated
        weight: 100
)");
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre("10:15 warning profiles[0].plugins.score.enabled[0].name: plugin "
                          "\"NodeResourcesMostAllocated\" no longer exists; read as NodeResourcesFit with "
                          "scoringStrategy MostAllocated"));
  const SchedulerProfile& profile = only_profile(decoding);
  EXPECT_EQ(profile.args.fit.strategy, ScoringStrategyType::kMostAllocated);
  EXPECT_THAT(names_of(profile.plugins.score.enabled), ElementsAre("NodeResourcesFit:100"));
  EXPECT_THAT(names_of(profile.plugins.score.disabled), ElementsAre("NodeResourcesBalancedAllocation"));
}

TEST(RetiredPlugins, LeastAllocatedTurnedOffForAnotherStrategyIsNoLoss) {
  const Decoding decoding = decode_configuration(R"(profiles:
- plugins: {score: {disabled: [{name: NodeResourcesLeastAllocated}], enabled: [{name: NodeResourcesMostAllocated}]}}
  pluginConfig:
  - {name: NodeResourcesMostAllocated, args: {resources: [{name: nvidia.com/gpu, weight: 4}]}}
)");
  const SchedulerProfile& profile = only_profile(decoding);
  EXPECT_THAT(names_of(profile.plugins.score.disabled), IsEmpty());
  EXPECT_THAT(names_of(profile.plugins.score.enabled), ElementsAre("NodeResourcesFit"));
  EXPECT_EQ(profile.args.fit.resources.at(0).name, "nvidia.com/gpu");
}

TEST(RetiredPlugins, LeastAllocatedTurnedOffAloneEndsScoringByResources) {
  const Decoding decoding =
      decode_configuration("profiles: [{plugins: {score: {disabled: [{name: NodeResourcesLeastAllocated}]}}}]\n");
  EXPECT_THAT(names_of(only_profile(decoding).plugins.score.disabled), ElementsAre("NodeResourcesFit"));
}

TEST(RetiredPlugins, RequestedToCapacityRatioKeepsItsShape) {
  const Decoding decoding = decode_configuration(R"(profiles:
- plugins: {score: {enabled: [{name: RequestedToCapacityRatio, weight: 7}]}}
  pluginConfig:
  - {name: RequestedToCapacityRatio, args: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}}
)");
  const SchedulerProfile& profile = only_profile(decoding);
  EXPECT_EQ(profile.args.fit.strategy, ScoringStrategyType::kRequestedToCapacityRatio);
  EXPECT_EQ(profile.args.fit.shape.size(), 2U);
  EXPECT_THAT(names_of(profile.plugins.score.enabled), ElementsAre("NodeResourcesFit:7"));
}

TEST(RetiredPlugins, SeveralWithOneSuccessorBecomeOne) {
  const Decoding decoding = decode_configuration(
      "profiles: [{plugins: {filter: {enabled: [{name: EBSLimits}, {name: GCEPDLimits}, {name: "
      "NodeVolumeLimits}]}}}]\n");
  EXPECT_EQ(decoding.diagnostics.size(), 2U);
  EXPECT_THAT(names_of(only_profile(decoding).plugins.filter.enabled), ElementsAre("NodeVolumeLimits"));
}

TEST(RetiredPlugins, SelectorSpreadTurnedOffEndsDefaultSpreading) {
  const Decoding decoding =
      decode_configuration("profiles: [{plugins: {score: {disabled: [{name: SelectorSpread}]}}}]\n");
  EXPECT_EQ(only_profile(decoding).args.spread.defaulting, SpreadDefaulting::kList);
  EXPECT_THAT(names_of(only_profile(decoding).plugins.score.disabled), IsEmpty());
}

TEST(RetiredPlugins, NodeLabelBecomesAddedAffinity) {
  const Decoding decoding = decode_configuration(R"(profiles:
- plugins: {filter: {enabled: [{name: NodeLabel}]}}
  pluginConfig:
  - {name: NodeLabel, args: {presentLabels: [pool], absentLabels: [retired], presentLabelsPreference: [fast]}}
)");
  const std::optional<NodeAffinity>& added = only_profile(decoding).args.node_affinity.added_affinity;
  ASSERT_TRUE(added && added->required);
  const NodeSelectorTerm& term = added->required->terms.at(0);
  EXPECT_EQ(term.match_expressions.at(0).op, NodeSelectorOperator::kExists);
  EXPECT_EQ(term.match_expressions.at(1).op, NodeSelectorOperator::kDoesNotExist);
  EXPECT_EQ(added->preferred.at(0).preference.match_expressions.at(0).key, "fast");
  EXPECT_THAT(names_of(only_profile(decoding).plugins.filter.enabled), ElementsAre("NodeAffinity"));
}

TEST(RetiredPlugins, WithoutASuccessorAreLeftOut) {
  const Decoding decoding =
      decode_configuration("profiles: [{plugins: {score: {enabled: [{name: NodePreferAvoidPods, weight: 10000}]}}}]\n");
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre("3:48 warning profiles[0].plugins.score.enabled[0].name: plugin \"NodePreferAvoidPods\" no "
                          "longer exists; it is left out"));
  EXPECT_THAT(names_of(only_profile(decoding).plugins.score.enabled), IsEmpty());
}

// ---- inside a ConfigMap --------------------------------------------------------------------------------------------

TEST(SchedulerConfiguration, IsFoundInAConfigMapWithItsPositionsInTheFile) {
  const Decoding decoding = decode_text(R"(apiVersion: v1
kind: ConfigMap
metadata: {name: scheduler, namespace: kube-system}
data:
  config.yaml: |
    apiVersion: kubescheduler.config.k8s.io/v1
    kind: KubeSchedulerConfiguration
    profiles:
    - schedulerNam: x
)");
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre("9:7 error profiles[0].schedulerNam: unknown field \"profiles[0].schedulerNam\""));
  EXPECT_EQ(decoding.diagnostics.at(0).subject, "KubeSchedulerConfiguration in ConfigMap kube-system/scheduler");
  EXPECT_EQ(decoding.objects.of<ConfigMap>().size(), 1U);
}

/// Neither is looked at what it says, nor does a mention make a text one.
TEST(SchedulerConfiguration, InAConfigMapOfAnotherNamespaceIsToldAndNotRead) {
  const document::Reading reading = document::read_yaml(R"(apiVersion: v1
kind: ConfigMap
metadata: {name: mine}
data:
  config.yaml: |
    apiVersion: kubescheduler.config.k8s.io/v1
    kind: KubeSchedulerConfiguration
    profils: []
  notes: how to write a KubeSchedulerConfiguration
---
apiVersion: v1
kind: ConfigMap
metadata: {name: theirs, namespace: team}
data: {c: "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration}"}
)",
                                                        "test");
  ReadingRules rules;
  rules.scheduler_namespace = "team";
  const Decoding decoding = decode({{reading.documents.at(0), "test"}, {reading.documents.at(1), "test"}}, rules);
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre("5:16 warning does not count: in ConfigMaps, scheduler configurations count in the namespace "
                          "\"team\" only"));
  EXPECT_EQ(decoding.diagnostics.at(0).subject, "KubeSchedulerConfiguration in ConfigMap default/mine");
  ASSERT_EQ(decoding.objects.of<SchedulerConfiguration>().size(), 1U);
  EXPECT_EQ(decoding.objects.of<SchedulerConfiguration>()[0].config_map->to_string(), "team/theirs");
}

TEST(SchedulerConfiguration, IsFoundInAQuotedTextAtTheTextsPlace) {
  const Decoding decoding = decode_text(
      R"({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "s"}, "data": {"c":
  "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofile: []\n"}})");
  EXPECT_THAT(lines_of(decoding.diagnostics), ElementsAre("2:3 error profile: unknown field \"profile\""));
}

}  // namespace
}  // namespace loadline::kube

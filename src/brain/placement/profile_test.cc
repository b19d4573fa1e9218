#include "brain/placement/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "brain/engine/registry.h"

namespace loadline::placement {
namespace {

using Names = std::vector<std::string>;
using Weights = std::vector<std::pair<std::string, std::int64_t>>;

struct ProfileTest : ::testing::Test {
  kube::SchedulerConfiguration configuration;
  kube::ProfilePlugins& plugins = configuration.profiles[0].plugins;

  [[nodiscard]] Result<Profile> make() const {
    return Profile::make(engine::registry(), configuration, configuration.profiles[0]);
  }

  template <class List>
  static Names names(const List& list) {
    Names names;
    for (const Plugin* plugin : list) names.emplace_back(plugin->name());
    return names;
  }
  [[nodiscard]] Names filters() const { return names(make().value().filters()); }
  [[nodiscard]] Weights scores() const {
    const Profile profile = make().value();
    Weights weights;
    for (const WeightedPlugin& each : profile.scores()) weights.emplace_back(each.plugin->name(), each.weight);
    return weights;
  }
};

TEST_F(ProfileTest, TheDefaultsAreThoseOfKubernetes136InTheirOrder) {
  EXPECT_EQ(filters(), (Names{"NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodePorts",
                              "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding",
                              "VolumeZone", "PodTopologySpread", "InterPodAffinity"}));
  const Profile profile = make().value();
  // With the gate GangScheduling: pods without a group do not notice.
  EXPECT_EQ(names(profile.pre_enqueue()), (Names{"SchedulingGates", "GangScheduling"}));
  EXPECT_EQ(names(profile.permits()), Names{"GangScheduling"});
  EXPECT_EQ(profile.scheduler_name(), "default-scheduler");
  EXPECT_NE(profile.preemptor(), nullptr);
  EXPECT_EQ(profile.percentage_of_nodes_to_score(), std::nullopt);
  Weights weights = scores();
  std::erase_if(weights, [](const auto& entry) { return entry.first == "VolumeBinding"; });  // has no say by default
  EXPECT_EQ(weights, (Weights{{"TaintToleration", 3},
                              {"NodeAffinity", 2},
                              {"NodeResourcesFit", 1},
                              {"PodTopologySpread", 2},
                              {"InterPodAffinity", 2},
                              {"NodeResourcesBalancedAllocation", 1},
                              {"ImageLocality", 1}}));
}

TEST_F(ProfileTest, MultiPointReweighsADefaultInItsPlace) {
  plugins.multi_point.enabled = {{"NodeAffinity", 7}, {"ImageLocality", 0}};
  const Weights weights = scores();
  EXPECT_EQ(weights[1], (std::pair<std::string, std::int64_t>("NodeAffinity", 7)));
  EXPECT_EQ(weights.back(), (std::pair<std::string, std::int64_t>("ImageLocality", 1)));  // 0 means 1
}

TEST_F(ProfileTest, MultiPointDisablesEverywhere) {
  plugins.multi_point.disabled = {{"NodeAffinity"}, {"DefaultPreemption"}};
  const Names left = filters();
  EXPECT_EQ(std::count(left.begin(), left.end(), "NodeAffinity"), 0);
  for (const auto& [name, weight] : scores()) EXPECT_NE(name, "NodeAffinity");
  EXPECT_EQ(make().value().preemptor(), nullptr);
}

TEST_F(ProfileTest, MultiPointDisablesAllButWhatItEnables) {
  plugins.multi_point.disabled = {{"*"}};
  plugins.multi_point.enabled = {{"NodeResourcesFit", 0}, {"NodeName", 0}};
  EXPECT_EQ(filters(), (Names{"NodeResourcesFit", "NodeName"}));
  EXPECT_EQ(scores(), (Weights{{"NodeResourcesFit", 1}}));
}

TEST_F(ProfileTest, APointDisablesOnlyItself) {
  plugins.score.disabled = {{"NodeResourcesFit"}};
  for (const auto& [name, weight] : scores()) EXPECT_NE(name, "NodeResourcesFit");
  const Names left = filters();
  EXPECT_EQ(std::count(left.begin(), left.end(), "NodeResourcesFit"), 1);
}

TEST_F(ProfileTest, APointThatDisablesAllRunsWhatItEnables) {
  plugins.score.disabled = {{"*"}};
  plugins.score.enabled = {{"ImageLocality", 4}, {"NodeAffinity", 0}};
  EXPECT_EQ(scores(), (Weights{{"ImageLocality", 4}, {"NodeAffinity", 1}}));
}

TEST_F(ProfileTest, PluginsNamedForAPointComeFirstInTheirOrder) {
  plugins.filter.enabled = {{"InterPodAffinity", 0}, {"NodeName", 0}};
  EXPECT_EQ(filters(), (Names{"InterPodAffinity", "NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity",
                              "NodePorts", "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits",
                              "VolumeBinding", "VolumeZone", "PodTopologySpread"}));
}

TEST_F(ProfileTest, PluginsDisabledAndEnabledAtAPointComeLast) {
  plugins.filter.disabled = {{"NodeName"}};
  plugins.filter.enabled = {{"NodeName", 0}};
  EXPECT_EQ(filters().back(), "NodeName");
  EXPECT_EQ(filters().front(), "NodeUnschedulable");
}

TEST_F(ProfileTest, PluginsEnabledAtAPointAloneComeLast) {
  plugins.multi_point.disabled = {{"NodeName"}};
  plugins.filter.enabled = {{"NodeName", 0}};
  EXPECT_EQ(filters().back(), "NodeName");
}

TEST_F(ProfileTest, AWeightAtScoreBeatsOneAtMultiPoint) {
  plugins.multi_point.enabled = {{"ImageLocality", 5}};
  plugins.score.enabled = {{"ImageLocality", 9}};
  EXPECT_EQ(scores().front(), (std::pair<std::string, std::int64_t>("ImageLocality", 9)));
}

TEST_F(ProfileTest, APluginCannotRunAtAPointItDoesNotExtend) {
  plugins.score.enabled = {{"NodeName", 0}};
  const auto made = make();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message,
            "profile \"default-scheduler\": plugin \"NodeName\" does not extend ScorePlugin plugin");
}

TEST_F(ProfileTest, APluginIsEnabledOnce) {
  plugins.filter.enabled = {{"NodeName", 0}, {"NodeName", 0}};
  const auto twice = make();
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message,
            "profile \"default-scheduler\": plugin \"NodeName\" already registered as \"FilterPlugin\"");
  plugins.filter.enabled.clear();
  plugins.multi_point.disabled = {{"*"}};
  plugins.multi_point.enabled = {{"NodeName", 0}, {"NodeName", 0}};
  EXPECT_FALSE(make());
}

TEST_F(ProfileTest, TheProfilesShareOfNodesBeatsTheConfigurations) {
  configuration.percentage_of_nodes_to_score = 30;
  EXPECT_EQ(make().value().percentage_of_nodes_to_score(), 30);
  configuration.profiles[0].percentage_of_nodes_to_score = 0;
  EXPECT_EQ(make().value().percentage_of_nodes_to_score(), 0);
}

}  // namespace
}  // namespace loadline::placement

#include "app/cli/input_configurations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "foundation/document/reader.h"
#include "objects/kube/codec.h"

namespace loadline::cli {
namespace {

using kube::SchedulerConfiguration;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// As they are read of a cluster.
std::vector<SchedulerConfiguration> configurations(const std::string& yaml) {
  std::vector<kube::SourceDocument> documents;
  for (document::Value& value : document::read_yaml(yaml, "test").documents) documents.push_back({value, "test"});
  std::vector<SchedulerConfiguration> found = std::move(kube::decode(documents).objects.of<SchedulerConfiguration>());
  for (SchedulerConfiguration& each : found) {
    if (each.config_map) each.config_map->is_of_cluster = true;
  }
  return found;
}

std::vector<std::string> names(const std::vector<SchedulerConfiguration>& configurations) {
  std::vector<std::string> names;
  for (const SchedulerConfiguration& each : configurations) {
    for (const kube::SchedulerProfile& profile : each.profiles) names.push_back(profile.scheduler_name);
  }
  return names;
}

std::vector<std::string> texts(const Diagnostics& told) {
  std::vector<std::string> texts;
  for (const Diagnostic& each : told) texts.push_back(each.to_string());
  return texts;
}

constexpr const char* kOfTenants = R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: kube-system}
data:
  c: |
    apiVersion: kubescheduler.config.k8s.io/v1
    kind: KubeSchedulerConfiguration
    profiles: [{schedulerName: packing}, {schedulerName: strange, plugins: {score: {enabled: [{name: NobodyHasIt}]}}}]
    extenders: [{urlPrefix: "http://10.0.0.1", filterVerb: filter, managedResources: [{name: example.com/fpga, ignoredByScheduler: true}]}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b, namespace: kube-system}
data: {c: "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, profiles: [{schedulerName: packing}, {schedulerName: other}]}"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: kube-system}
data: {c: "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, profiles: [{schedulerName: other}]}"}
)";

TEST(InputConfigurations, WhatCannotWorkIsLeftOutAndTheRestGoesOn) {
  std::vector<SchedulerConfiguration> found = configurations(kOfTenants);
  ASSERT_EQ(found.size(), 3U);
  Diagnostics told;
  choose_profiles(found, {}, told);
  EXPECT_THAT(names(found), ElementsAre("packing", "other"));
  EXPECT_FALSE(has_errors(told));
  EXPECT_THAT(texts(told), ElementsAre(HasSubstr("so the profile \"strange\" is left out"),
                                       HasSubstr("extenders: are not called (http://10.0.0.1): the input names them"),
                                       HasSubstr("\"packing\" is left out: ConfigMap kube-system/a defines it"),
                                       HasSubstr("\"other\" is left out: ConfigMap kube-system/b defines it")));
  EXPECT_EQ(told[1].at.line, 10U) << "with its place";
  EXPECT_TRUE(found[0].extenders.empty());
  ASSERT_EQ(found[0].profiles[0].extenders.size(), 1U);
  const kube::Extender& silent = found[0].profiles[0].extenders[0];
  EXPECT_EQ(silent.url_prefix + silent.filter_verb, "");
  EXPECT_EQ(silent.managed_resources.size(), 1U) << "NodeResourcesFit leaves it to them all the same";
}

TEST(InputConfigurations, OfEqualNamesTheOldestCountsAndADocumentOfItsOwnBeforeAll) {
  const auto make = [](const char* name, std::int64_t created, const char* profile) {
    SchedulerConfiguration configuration;
    configuration.config_map = {"kube-system", name, Instant{} + Duration::seconds(created), true};
    configuration.profiles.front().scheduler_name = profile;
    return configuration;
  };
  std::vector<SchedulerConfiguration> found = {make("a", 30, "x"), make("b", 20, "x"), make("c", 10, "y"),
                                               SchedulerConfiguration{}};
  found.back().profiles.front().scheduler_name = "y";
  Diagnostics told;
  choose_profiles(found, {}, told);
  ASSERT_THAT(names(found), ElementsAre("y", "x"));
  EXPECT_FALSE(found[0].config_map);
  EXPECT_EQ(found[1].config_map->name, "b");
  EXPECT_THAT(texts(told), ElementsAre(HasSubstr("\"y\" is left out: a configuration of the input defines it"),
                                       HasSubstr("\"x\" is left out: ConfigMap kube-system/b defines it")));
}

TEST(InputConfigurations, DefaultSchedulerOfAConfigMapCountsIfAskedFor) {
  const auto found = [](bool is_changed) {
    SchedulerConfiguration configuration;
    configuration.config_map = {"kube-system", "a", std::nullopt, true};
    if (is_changed) configuration.percentage_of_nodes_to_score = 5;
    return std::vector{configuration};
  };
  ConfigurationRights rights;
  Diagnostics told;
  std::vector<SchedulerConfiguration> changed = found(true);
  choose_profiles(changed, rights, told);
  EXPECT_THAT(names(changed), IsEmpty());
  EXPECT_THAT(texts(told),
              ElementsAre(HasSubstr("\"default-scheduler\" is left out: a ConfigMap does not replace it")));
  told.clear();
  std::vector<SchedulerConfiguration> plain = found(false);
  choose_profiles(plain, rights, told);
  EXPECT_THAT(names(plain), IsEmpty());
  EXPECT_THAT(told, IsEmpty()) << "it would change nothing";
  rights.scope.replaces_default = true;
  choose_profiles(changed = found(true), rights, told);
  EXPECT_THAT(names(changed), ElementsAre("default-scheduler"));
  EXPECT_THAT(told, IsEmpty());
}

TEST(InputConfigurations, APluginThatIsThereRunsForWhoIsTrustedOnly) {
  const std::string_view provided[] = {"NobodyHasIt"};
  ConfigurationRights rights;
  rights.plugins = provided;
  Diagnostics told;
  std::vector<SchedulerConfiguration> found = configurations(kOfTenants);
  choose_profiles(found, rights, told);
  EXPECT_THAT(names(found), ElementsAre("packing", "other"));
  EXPECT_THAT(texts(told),
              ::testing::Contains(AllOf(
                  HasSubstr("warning: "),
                  HasSubstr("the plugin \"NobodyHasIt\" is run for a configuration that --config names only, so the "
                            "profile \"strange\" is left out"))));
  told.clear();
  found = configurations(kOfTenants);
  for (SchedulerConfiguration& each : found) each.config_map->is_of_cluster = false;
  choose_profiles(found, rights, told);
  EXPECT_TRUE(has_errors(told)) << "whoever wrote it is to know";
  told.clear();
  rights.is_trusted = true;
  found = configurations(kOfTenants);
  choose_profiles(found, rights, told);
  EXPECT_THAT(names(found), ElementsAre("packing", "strange", "other"));
  EXPECT_EQ(found[0].profiles[0].extenders.at(0).url_prefix, "http://10.0.0.1");
}

TEST(InputConfigurations, FaultsInThemAreWarnings) {
  Diagnostics told = kube::decode({{document::read_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, "
                                                        "namespace: team}, data: {c: '{apiVersion: "
                                                        "kubescheduler.config.k8s.io/v1, kind: "
                                                        "KubeSchedulerConfiguration, profils: []}'}}",
                                                        "test")
                                        .documents.front(),
                                    "test"}})
                         .diagnostics;
  ASSERT_TRUE(has_errors(told));
  EXPECT_TRUE(is_about_configuration(told.front()));
  tolerate_faulty_configurations(told);
  EXPECT_FALSE(has_errors(told));
}

}  // namespace
}  // namespace loadline::cli

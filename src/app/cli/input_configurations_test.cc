#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "app/cli/cluster_configurations.h"
#include "foundation/document/reader.h"
#include "objects/kube/codec.h"

namespace loadline::cli {
namespace {

using kube::SchedulerConfiguration;
using ::testing::HasSubstr;

std::vector<SchedulerConfiguration> configurations(const std::string& yaml) {
  std::vector<kube::SourceDocument> documents;
  for (document::Value& value : document::read_yaml(yaml, "test").documents) documents.push_back({value, "test"});
  return std::move(kube::decode(documents).objects.of<SchedulerConfiguration>());
}

constexpr const char* kOfTenants = R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: packing}, {schedulerName: strange, plugins: {score: {enabled: [{name: NobodyHasIt}]}}}]
extenders: [{urlPrefix: "http://10.0.0.1", filterVerb: filter, managedResources: [{name: example.com/fpga, ignoredByScheduler: true}]}]
---
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: packing}, {schedulerName: other}]
---
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: other}]
)";

TEST(ClusterConfigurations, WhatCannotWorkIsLeftOutAndTheRestGoesOn) {
  std::vector<SchedulerConfiguration> found = configurations(kOfTenants);
  ASSERT_EQ(found.size(), 3U);
  Diagnostics told;
  keep_sound_profiles(found, {}, told);
  ASSERT_EQ(found.size(), 2U);
  ASSERT_EQ(found[0].profiles.size(), 1U);
  EXPECT_EQ(found[0].profiles[0].scheduler_name, "packing");
  ASSERT_EQ(found[1].profiles.size(), 1U);
  EXPECT_EQ(found[1].profiles[0].scheduler_name, "other");

  ASSERT_EQ(told.size(), 4U);
  for (const Diagnostic& each : told) EXPECT_EQ(each.severity, Severity::kWarning) << each.to_string();
  EXPECT_THAT(told[0].message, HasSubstr("so the profile \"strange\" is left out"));
  EXPECT_THAT(told[1].message, HasSubstr("extenders are not called"));
  EXPECT_THAT(told[2].message, HasSubstr("\"packing\" is left out: another ConfigMap"));
  EXPECT_THAT(told[3].message, HasSubstr("\"other\" is left out: another ConfigMap"));

  EXPECT_TRUE(found[0].extenders.empty());
  ASSERT_EQ(found[0].profiles[0].extenders.size(), 1U);
  const kube::Extender& silent = found[0].profiles[0].extenders[0];
  EXPECT_EQ(silent.url_prefix + silent.filter_verb, "");
  EXPECT_EQ(silent.managed_resources.size(), 1U) << "NodeResourcesFit leaves it to them all the same";
}

TEST(ClusterConfigurations, APluginThatIsProvidedIsNoneThatNobodyHas) {
  std::vector<SchedulerConfiguration> found = configurations(kOfTenants);
  const std::string_view provided[] = {"NobodyHasIt"};
  Diagnostics told;
  keep_sound_profiles(found, provided, told);
  EXPECT_EQ(found[0].profiles.size(), 2U);
}

TEST(ClusterConfigurations, FaultsInThemAreWarnings) {
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

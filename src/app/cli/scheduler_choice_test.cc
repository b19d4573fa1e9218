#include "app/cli/scheduler_choice.h"

#include <gtest/gtest.h>

namespace loadline::cli {
namespace {

kube::SchedulerConfiguration with_profile(const char* name) {
  kube::SchedulerConfiguration configuration;
  configuration.profiles.front().scheduler_name = name;
  return configuration;
}

std::vector<std::string> names(const kube::SchedulerConfiguration& configuration) {
  std::vector<std::string> result;
  for (const kube::SchedulerProfile& profile : configuration.profiles) result.push_back(profile.scheduler_name);
  return result;
}

TEST(CombinedConfiguration, OfNoneIsKubernetesDefault) {
  EXPECT_EQ(names(*combined_configuration({})), std::vector<std::string>{"default-scheduler"});
}

TEST(CombinedConfiguration, KeepsTheClustersOwnSchedulerBesideOthers) {
  EXPECT_EQ(names(*combined_configuration({with_profile("gpu"), with_profile("batch")})),
            (std::vector<std::string>{"gpu", "batch", "default-scheduler"}));
}

TEST(CombinedConfiguration, KeepsEachSchedulersShareOfNodes) {
  kube::SchedulerConfiguration second = with_profile("batch");
  second.percentage_of_nodes_to_score = 30;
  const kube::SchedulerConfiguration combined = *combined_configuration({with_profile("default-scheduler"), second});
  EXPECT_EQ(combined.profiles[0].percentage_of_nodes_to_score, std::nullopt);
  EXPECT_EQ(combined.profiles[1].percentage_of_nodes_to_score, 30);
}

/// What a ConfigMap says beside its profiles is not about others.
TEST(CombinedConfiguration, AConfigMapSaysNothingAboutOtherSchedulers) {
  kube::SchedulerConfiguration carried = with_profile("batch");
  carried.config_map = {"kube-system", "a", std::nullopt, true};
  carried.percentage_of_nodes_to_score = 30;
  carried.pod_max_backoff_seconds = 1000;
  const kube::SchedulerConfiguration combined = *combined_configuration({carried});
  EXPECT_EQ(names(combined), (std::vector<std::string>{"batch", "default-scheduler"}));
  EXPECT_EQ(combined.percentage_of_nodes_to_score, std::nullopt);
  EXPECT_EQ(combined.profiles[0].percentage_of_nodes_to_score, 30);
  EXPECT_EQ(combined.pod_max_backoff_seconds, 10);
}

TEST(CombinedConfiguration, RefusesTwoProfilesOfOneName) {
  const auto combined = combined_configuration({with_profile("gpu"), with_profile("gpu")});
  ASSERT_FALSE(combined);
  EXPECT_NE(combined.error().message.find("\"gpu\""), std::string::npos);
}

}  // namespace
}  // namespace loadline::cli

#include "objects/kube/config/out_of_tree_plugins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "foundation/document/writer.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SchedulerConfiguration decode_profile(std::string_view profile) {
  Decoding decoding =
      decode_text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [" +
                  std::string(profile) + "]\n");
  EXPECT_THAT(lines_of(decoding.diagnostics), IsEmpty());
  EXPECT_EQ(decoding.objects.of<SchedulerConfiguration>().size(), 1U);
  return decoding.objects.of<SchedulerConfiguration>().at(0);
}

TEST(OutOfTreePlugins, AreUnknownUnlessProvided) {
  const SchedulerConfiguration configuration =
      decode_profile("{plugins: {score: {enabled: [{name: GPUScoring, weight: 5}]}}}");
  EXPECT_THAT(lines_of(unknown_plugins(configuration, {})),
              ElementsAre("3:48 error profiles[0].plugins.score.enabled[0].name: plugin \"GPUScoring\" is not built in "
                          "and no --plugin provides it"));
  constexpr std::string_view kProvided[] = {"Other", "GPUScoring"};
  EXPECT_THAT(unknown_plugins(configuration, kProvided), IsEmpty());
}

TEST(OutOfTreePlugins, AreToldFromMisspeltOnes) {
  constexpr std::string_view kProvided[] = {"GPUScoring"};
  const Diagnostics built_in =
      unknown_plugins(decode_profile("{plugins: {filter: {enabled: [{name: NodePort}]}}}"), kProvided);
  EXPECT_THAT(hints_of(built_in), ElementsAre("did you mean \"NodePorts\"?"));
  const Diagnostics loaded =
      unknown_plugins(decode_profile("{plugins: {score: {disabled: [{name: GpuScorin}]}}}"), kProvided);
  EXPECT_THAT(hints_of(loaded), ElementsAre("did you mean \"GPUScoring\"?"));
  const Diagnostics strange =
      unknown_plugins(decode_profile("{plugins: {filter: {enabled: [{name: Coscheduling}]}}}"), kProvided);
  EXPECT_THAT(hints_of(strange), ElementsAre("load it with --plugin FILE, a shared library made for Loadline"));
}

TEST(OutOfTreePlugins, KeepTheirArguments) {
  const SchedulerConfiguration configuration = decode_profile(
      "{pluginConfig: [{name: GPUScoring, args: {weights: {type: 2}, any: [a, 1.5]}}, {name: NodePorts}]}");
  const auto& args = configuration.profiles.at(0).out_of_tree_args;
  ASSERT_EQ(args.size(), 1U);
  EXPECT_EQ(document::write_json(args.at("GPUScoring")), R"({"weights":{"type":2},"any":["a",1.5]})");
  EXPECT_EQ(unknown_plugins(configuration, {}).size(), 1U);
}

}  // namespace
}  // namespace loadline::kube

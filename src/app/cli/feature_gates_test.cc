#include "app/cli/feature_gates.h"

#include <gtest/gtest.h>

namespace loadline::cli {
namespace {

TEST(FeatureGates, AreReadAsKubernetesComponentsReadThem) {
  EXPECT_FALSE(parse_feature_gates({})->workload_with_job);
  EXPECT_TRUE(parse_feature_gates({"WorkloadWithJob=true"})->workload_with_job);
  EXPECT_TRUE(parse_feature_gates({"GangScheduling=true", "WorkloadWithJob=T"})->workload_with_job);
  EXPECT_FALSE(parse_feature_gates({"WorkloadWithJob=true", "WorkloadWithJob=0"})->workload_with_job);
}

TEST(FeatureGates, SayWhatIsWrong) {
  const auto fault = [](const std::string& text) {
    const auto parsed = parse_feature_gates({text});
    return parsed ? "" : parsed.error().message;
  };
  EXPECT_EQ(fault("WorkloadWithJobs=true"),
            "unrecognized feature gate: WorkloadWithJobs; did you mean WorkloadWithJob?");
  EXPECT_EQ(
      fault("InPlacePodResize=true"),
      "unrecognized feature gate: InPlacePodResize; Loadline has GangScheduling, GenericWorkload, WorkloadWithJob");
  EXPECT_EQ(fault("WorkloadWithJob"), "missing bool value for WorkloadWithJob; write WorkloadWithJob=true");
  EXPECT_EQ(fault("WorkloadWithJob=yes"), "invalid value of WorkloadWithJob: \"yes\"; write true or false");
  EXPECT_EQ(fault("GangScheduling=false"),
            "cannot set feature gate GangScheduling to false, feature is locked to true");
}

}  // namespace
}  // namespace loadline::cli

#include "hosts/advice/lint/wording.h"

#include <gtest/gtest.h>

namespace loadline::advice::lint {
namespace {

TEST(Wording, TakesMistypedNamesForTheRightOnes) {
  EXPECT_EQ(nearest("gpu_type", {"zone", "gpu-type"}), "gpu-type");
  EXPECT_EQ(nearest("datateam", {"data-team"}), "data-team");
  EXPECT_EQ(nearest("nvidia.com/gpus", {"nvidia.com/gpu"}), "nvidia.com/gpu");
  EXPECT_EQ(nearest("zebra", {"zone"}), "");
}

TEST(Wording, DoesNotTakeSiblingsForEachOther) {
  EXPECT_EQ(nearest("team-b", {"team-a"}), "");
  EXPECT_EQ(nearest("pool-2", {"pool-1"}), "");
  EXPECT_EQ(nearest("data-team-2", {"data-team"}), "");
  EXPECT_EQ(nearest("pool12", {"pool1"}), "");
  EXPECT_EQ(nearest("nvidia.com/mig-1g.5gb", {"nvidia.com/mig-2g.10gb"}), "");
  EXPECT_EQ(nearest("team-b", {"team-a", "teem-b"}), "teem-b");
}

TEST(Wording, DoesNotCorrectWhatVendorsReallyOffer) {
  EXPECT_EQ(nearest("nvidia.com/gpucores", {"nvidia.com/gpu"}), "");
  EXPECT_EQ(nearest("cloud.google.com/gke-tpu-topology", {"cloud.google.com/gke-accelerator"}), "");
  EXPECT_EQ(nearest("cloud.google.com/gke-tpu-accelerator", {"cloud.google.com/gke-accelerator"}), "");
  EXPECT_EQ(nearest("nvidia.com/cuda.driver.major", {"nvidia.com/cuda.driver.minor"}), "");
  EXPECT_EQ(nearest("huawei.com/Ascend910B", {"huawei.com/Ascend310"}), "");
}

TEST(Wording, ListsTalliesAndGuesses) {
  EXPECT_EQ(listed({"a", "b", "c"}, 2), "a, b, … 1 more");
  EXPECT_EQ(tallied({{"t4", 2}, {"v100", 3}, {"a100", 2}}), "v100 (3), a100 (2), t4 (2)");
  EXPECT_EQ(did_you_mean("zon", {"zone"}), "did you mean zone?");
}

}  // namespace
}  // namespace loadline::advice::lint

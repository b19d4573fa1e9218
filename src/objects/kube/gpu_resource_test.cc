#include "objects/kube/gpu_resource.h"

#include <gtest/gtest.h>

namespace loadline::kube {
namespace {

TEST(GpuResource, IsOneWhoseUnitsAreDevices) {
  for (const char* name :
       {"nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.5gb", "amd.com/gpu", "gpu.intel.com/i915",
        "gpu.intel.com/xe", "google.com/tpu", "aws.amazon.com/neuron", "habana.ai/gaudi", "example.com/gpu-a100"}) {
    EXPECT_TRUE(is_gpu_resource(name)) << name;
  }
}

TEST(GpuResource, IsNoAmountOfADeviceAndNothingElse) {
  for (const char* name : {"cpu", "memory", "gpu", "aliyun.com/gpu-mem", "nvidia.com/gpumem", "nvidia.com/gpucores",
                           "volcano.sh/vgpu-memory", "gpu.intel.com/millicores", "gpu.intel.com/memory.max",
                           "aws.amazon.com/neuroncore", "hugepages-2Mi", "rdma/hca"}) {
    EXPECT_FALSE(is_gpu_resource(name)) << name;
  }
}

TEST(GpuResource, IsShortWithoutItsDomain) {
  EXPECT_EQ(short_resource_name("nvidia.com/mig-1g.5gb"), "mig-1g.5gb");
  EXPECT_EQ(short_resource_name("cpu"), "cpu");
}

}  // namespace
}  // namespace loadline::kube

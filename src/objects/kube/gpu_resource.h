#pragma once

#include <string_view>

namespace loadline::kube {

/// True for an extended resource whose units are devices that a pod holds whole, so that they can be shown one by one:
/// nvidia.com/gpu, nvidia.com/gpu.shared, nvidia.com/mig-1g.5gb, amd.com/gpu, gpu.intel.com/i915, and the other
/// accelerators that Kubernetes users count alike (google.com/tpu, aws.amazon.com/neuron, habana.ai/gaudi).
/// False for amounts of a device (gpu-mem, gpu-core, gpu-percentage, gpu.intel.com/millicores, memory.max).
bool is_gpu_resource(std::string_view resource);

/// "gpu", "mig-1g.5gb": the resource without its vendor's domain, for narrow columns.
std::string_view short_resource_name(std::string_view resource);

}  // namespace loadline::kube

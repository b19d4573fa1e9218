#include "brain/capacity/gpu_models.h"

#include <algorithm>
#include <array>

#include "foundation/base/text.h"

namespace loadline::capacity {
namespace {

// Products and memory as nvidia-smi reports them; machines as clouds offer them.
constexpr std::array kModels = {
    GpuModel{"a10", "NVIDIA-A10", 23028, "ampere", "8", "6", false, 30, 110},
    GpuModel{"a10g", "NVIDIA-A10G", 23028, "ampere", "8", "6", false, 24, 96},
    GpuModel{"a100", "NVIDIA-A100-SXM4-40GB", 40960, "ampere", "8", "0", true, 12, 144},
    GpuModel{"a100-80gb", "NVIDIA-A100-SXM4-80GB", 81920, "ampere", "8", "0", true, 12, 144},
    GpuModel{"b200", "NVIDIA-B200", 183359, "blackwell", "10", "0", true, 24, 256},
    GpuModel{"b300", "NVIDIA-B300-SXM6-AC", 275040, "blackwell", "10", "3", true, 24, 512},
    GpuModel{"gb200", "NVIDIA-GB200", 189471, "blackwell", "10", "0", true, 36, 240},
    GpuModel{"h100", "NVIDIA-H100-80GB-HBM3", 81559, "hopper", "9", "0", true, 24, 256},
    GpuModel{"h200", "NVIDIA-H200", 143771, "hopper", "9", "0", true, 24, 256},
    GpuModel{"l4", "NVIDIA-L4", 23034, "ada-lovelace", "8", "9", false, 12, 48},
    GpuModel{"l40s", "NVIDIA-L40S", 46068, "ada-lovelace", "8", "9", false, 24, 192},
    GpuModel{"p100", "Tesla-P100-PCIE-16GB", 16384, "pascal", "6", "0", false, 16, 60},
    GpuModel{"rtx-pro-4500", "NVIDIA-RTX-PRO-4500-Blackwell-Server-Edition", 32768, "blackwell", "12", "0", false, 24,
             96},
    GpuModel{"rtx-pro-6000", "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition", 97887, "blackwell", "12", "0", true, 24,
             256},
    GpuModel{"rtx4090", "NVIDIA-GeForce-RTX-4090", 24564, "ada-lovelace", "8", "9", false, 16, 64},
    GpuModel{"t4", "Tesla-T4", 15360, "turing", "7", "5", false, 8, 32},
    GpuModel{"t4g", "NVIDIA-T4G", 15360, "turing", "7", "5", false, 16, 32},
    GpuModel{"v100", "Tesla-V100-SXM2-16GB", 16384, "volta", "7", "0", false, 8, 61},
    GpuModel{"v100-32gb", "Tesla-V100-SXM2-32GB", 32768, "volta", "7", "0", false, 12, 96},
};

}  // namespace

const GpuModel* find_gpu_model(std::string_view name) {
  const auto found =
      std::find_if(kModels.begin(), kModels.end(), [&](const GpuModel& one) { return one.name == name; });
  return found == kModels.end() ? nullptr : &*found;
}

std::string gpu_model_names() {
  std::vector<std::string_view> names;
  names.reserve(kModels.size());
  for (const GpuModel& model : kModels) names.push_back(model.name);
  return joined(names, ", ");
}

}  // namespace loadline::capacity

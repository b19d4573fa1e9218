#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::capacity {

/// A GPU as NVIDIA's GPU feature discovery describes it in labels.
struct GpuModel {
  std::string_view name;     ///< as people say it: "a100", "h100"
  std::string_view product;  ///< nvidia.com/gpu.product
  std::int64_t memory;       ///< MiB, nvidia.com/gpu.memory
  std::string_view family;   ///< "ampere"
  std::string_view compute_major;
  std::string_view compute_minor;
  bool is_mig_capable;
  std::int64_t cpus;        ///< that a machine has for each GPU
  std::int64_t memory_gib;  ///< likewise
};

/// Null: not known.
const GpuModel* find_gpu_model(std::string_view name);
/// All names, for messages.
std::string gpu_model_names();

}  // namespace loadline::capacity

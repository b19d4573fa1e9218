#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace loadline::capacity {

/// A type of machine that a cloud offers. Amounts are those of the machine, and what a kubelet leaves of them.
struct InstanceType {
  std::string_view name;  ///< "g4dn.xlarge"
  std::string_view arch;
  std::int64_t cpus;
  std::int64_t memory_mib;
  std::int64_t allocatable_millicpus;
  std::int64_t allocatable_mib;
  std::int64_t pods;
  std::string_view gpu_model;                    ///< of find_gpu_model(); empty: it has no GPU of NVIDIA's
  std::int64_t devices;                          ///< GPUs, or other accelerators
  std::string_view resource = "nvidia.com/gpu";  ///< by which devices are requested
};

/// Null: not known. O(log types).
const InstanceType* find_instance_type(std::string_view name);

/// All types, by name.
std::span<const InstanceType> instance_types();

}  // namespace loadline::capacity

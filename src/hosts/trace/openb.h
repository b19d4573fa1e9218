#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "hosts/trace/lines.h"
#include "hosts/trace/work.h"
#include "objects/kube/core/node.h"

namespace loadline::trace {

/// What becomes of pods that ask for a share of a GPU, which Kubernetes' resources cannot say.
enum class GpuShares : std::uint8_t {
  kWhole,   ///< a share takes a whole GPU: nvidia.com/gpu
  kPooled,  ///< a node's GPUs are one pool of thousandths, loadline.dev/gpu-milli: an upper bound, as if shares could
            ///< lie across the borders between devices
};

enum class OpenbTimes : std::uint8_t {
  kPublished,  ///< pods arrive at their creation_time, in its order, and are deleted at their deletion_time
  kNone,       ///< all pods are there at once, in the order of the file, and stay
};

struct OpenbOptions {
  GpuShares shares = GpuShares::kWhole;
  OpenbTimes times = OpenbTimes::kPublished;
};

inline constexpr std::string_view kGpuMilli = "loadline.dev/gpu-milli";
/// The label of nodes with the model of their GPUs.
inline constexpr std::string_view kGpuModel = "gpu-model";

/// The columns of a pod list; `multigpu*` files have the first five only.
inline constexpr auto kOpenbPodColumns =
    std::to_array<std::string_view>({"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos",
                                     "pod_phase", "creation_time", "deletion_time", "scheduled_time"});

/// Whether the first line of a file is the header of a pod list.
bool is_openb_header(std::string_view line);

/// The openb GPU cluster trace (Alibaba cluster-trace-gpu-v2023), a pod list as published: `openb_pod_list_*.csv`. Each
/// pod is a work of its own, of the class that its `qos` names and the tenant `default`; a pod that names GPU models
/// has a required node affinity to the label gpu-model. The lists are not in order of time, so a list is read whole:
/// 8,152 pods. Of a file without times, all pods arrive at once. Source: Weng et al., "Beware of Fragmentation:
/// Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent", USENIX ATC 2023;
/// github.com/alibaba/clusterdata/tree/master/cluster-trace-gpu-v2023.
Result<std::unique_ptr<WorkSource>> open_openb(const std::string& path, const OpenbOptions& options = {});
Result<std::unique_ptr<WorkSource>> read_openb(Lines& lines, const OpenbOptions& options = {});

/// The nodes of `openb_node_list_*.csv`, in the order of the file, with room for 110 pods each.
Result<std::vector<kube::Node>> read_openb_nodes(const std::string& path, GpuShares shares = GpuShares::kWhole);
Result<std::vector<kube::Node>> read_openb_nodes(Lines& lines, GpuShares shares = GpuShares::kWhole);

}  // namespace loadline::trace

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/cluster/shape.h"

namespace loadline::replay {

/// Thousandths of GPUs that tasks share, as one amount of a node: what openb's tasks ask for when their shares are
/// pooled. It knows no border between devices.
inline constexpr std::string_view kGpuMilli = "loadline.dev/gpu-milli";

/// Counts GPUs, whatever resources of nodes and pods stand for them: those of kube::is_gpu_resource, and kGpuMilli,
/// which goes before the others where nodes offer it. Amounts are thousandths of a GPU.
class GpuCount {
 public:
  /// Of the resources that nodes of the cluster offer now.
  explicit GpuCount(const cluster::Cluster& cluster);

  [[nodiscard]] std::int64_t requested(const cluster::PodShape& shape) const;
  [[nodiscard]] std::int64_t allocatable(const cluster::Cluster& cluster, cluster::NodeId node) const;
  [[nodiscard]] std::int64_t requested(const cluster::Cluster& cluster, cluster::NodeId node) const;

 private:
  struct Counted {
    cluster::ResourceId resource;
    std::int64_t milli = 1000;  ///< what one of it is in thousandths of a GPU
  };
  std::vector<Counted> counted_;
};

}  // namespace loadline::replay

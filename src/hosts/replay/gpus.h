#pragma once

#include <cstdint>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/cluster/shapes/shape.h"

namespace loadline::replay {

/// Counts GPUs, whatever resources of nodes and pods stand for them: those of kube::is_gpu_resource, and
/// trace::kGpuMilli, which goes before the others where nodes offer it. Amounts are thousandths of a GPU.
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

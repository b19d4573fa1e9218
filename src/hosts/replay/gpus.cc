#include "hosts/replay/gpus.h"

#include "hosts/trace/openb.h"
#include "objects/kube/gpu_resource.h"

namespace loadline::replay {

using cluster::NodeId;
using cluster::ResourceId;

GpuCount::GpuCount(const cluster::Cluster& cluster) {
  const auto is_offered = [&](ResourceId resource) {
    for (const NodeId node : cluster.nodes()) {
      if (cluster.allocatable(node, resource) > 0) return true;
    }
    return false;
  };
  if (const ResourceId shares = cluster.resources().find(trace::kGpuMilli); shares.valid() && is_offered(shares)) {
    counted_.push_back({shares, 1});
    return;
  }
  for (std::size_t i = 0; i < cluster.resources().size(); ++i) {
    const ResourceId resource{i};
    if (kube::is_gpu_resource(cluster.resources().name(resource))) counted_.push_back({resource, 1000});
  }
}

std::int64_t GpuCount::requested(const cluster::PodShape& shape) const {
  std::int64_t sum = 0;
  for (const cluster::ResourceAmount& amount : shape.requests) {
    for (const Counted& counted : counted_) {
      if (counted.resource == amount.resource) sum += counted.milli * amount.amount;
    }
  }
  return sum;
}

std::int64_t GpuCount::allocatable(const cluster::Cluster& cluster, NodeId node) const {
  std::int64_t sum = 0;
  for (const Counted& counted : counted_) sum += counted.milli * cluster.allocatable(node, counted.resource);
  return sum;
}

std::int64_t GpuCount::requested(const cluster::Cluster& cluster, NodeId node) const {
  std::int64_t sum = 0;
  for (const Counted& counted : counted_) sum += counted.milli * cluster.requested(node, counted.resource);
  return sum;
}

}  // namespace loadline::replay

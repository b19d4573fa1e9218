#include "brain/placement/domain_scoring.h"

#include <limits>

#include "brain/placement/plugins/node_resources_fit.h"

namespace loadline::placement {

using cluster::NodeId;
using cluster::PodId;

namespace {

std::int64_t request_of(const cluster::Cluster& cluster, PodId pod, const std::string& resource) {
  const kube::ResourceList& requests = cluster.shape_of(pod).container_nonzero_list;
  const auto found = requests.find(resource);
  if (found == requests.end()) return 0;
  return resource == "cpu" ? found->second.milli_value() : found->second.value();
}

/// At most what 64 bits hold.
std::int64_t plus(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return a > kMost - b ? kMost : a + b;
}

std::span<const std::int64_t> load_of(const cluster::Cluster& cluster, cluster::ResourceId resource) {
  if (resource == cluster::kCpu) return cluster.nonzero_cpu();
  if (resource == cluster::kMemory) return cluster.nonzero_memory();
  return cluster.requested(resource);
}

}  // namespace

std::int64_t most_allocated_in(const cluster::Cluster& cluster, std::span<const NodeId> nodes,
                               std::span<const PodId> pods, const std::vector<kube::ResourceSpec>& resources) {
  std::vector<ScoredResource> sums;
  for (const kube::ResourceSpec& spec : resources) {
    ScoredResource& sum = sums.emplace_back();
    sum.weight = spec.weight;
    for (const PodId pod : pods) sum.requested += request_of(cluster, pod, spec.name);
    const cluster::ResourceId resource = cluster.resources().find(spec.name);
    const bool is_skipped = sum.requested == 0 && cluster::is_scalar_resource(spec.name);
    if (is_skipped || !resource.valid()) continue;
    const std::span<const std::int64_t> capacity = cluster.allocatable(resource);
    const std::span<const std::int64_t> load = load_of(cluster, resource);
    for (const NodeId node : nodes) {
      if (capacity[node.index()] == 0) continue;
      sum.capacity = plus(sum.capacity, capacity[node.index()]);
      sum.requested = plus(sum.requested, load[node.index()]);
    }
  }
  // More than 64 bits could hold a hundredfold of is halved: kube-scheduler's arithmetic wraps around there.
  for (ScoredResource& sum : sums) {
    while (sum.capacity > std::numeric_limits<std::int64_t>::max() / kMaxNodeScore) {
      sum.capacity /= 2;
      sum.requested /= 2;
    }
  }
  return most_allocated(sums);
}

}  // namespace loadline::placement

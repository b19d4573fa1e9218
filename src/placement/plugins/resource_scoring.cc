#include "placement/plugins/resource_scoring.h"

#include <algorithm>

namespace loadline::placement {

ResourceLens::ResourceLens(const cluster::Cluster& cluster, const std::vector<kube::ResourceSpec>& resources,
                           const kube::ResourceList& pod_requests, LoadKind load)
    : cluster_(cluster), load_(load) {
  for (const kube::ResourceSpec& spec : resources) {
    const auto found = pod_requests.find(spec.name);
    std::int64_t requested = 0;
    if (found != pod_requests.end()) {
      requested = spec.name == "cpu" ? found->second.milli_value() : found->second.value();
    }
    const bool skipped = requested == 0 && cluster::is_scalar_resource(spec.name);
    entries_.push_back({cluster.resources().find(spec.name), requested, skipped});
    view_.push_back({spec.weight, 0, 0, 0});
  }
}

void ResourceLens::sign(Signature& signature) const {
  for (const Entry& entry : entries_) signature.add(entry.requested);
}

bool ResourceLens::asks_nothing() const {
  return std::all_of(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.requested == 0; });
}

std::span<const ScoredResource> ResourceLens::at(cluster::NodeId node) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    ScoredResource& seen = view_[i];
    seen.capacity = entry.skipped || !entry.resource.valid() ? 0 : cluster_.allocatable(node, entry.resource);
    if (seen.capacity == 0) {
      seen.allocated = seen.requested = 0;
      continue;
    }
    seen.allocated = cluster_.requested(node, entry.resource);
    if (load_ == LoadKind::kNonZero && entry.resource == cluster::kCpu) seen.allocated = cluster_.nonzero_cpu(node);
    if (load_ == LoadKind::kNonZero && entry.resource == cluster::kMemory) {
      seen.allocated = cluster_.nonzero_memory(node);
    }
    seen.requested = seen.allocated + entry.requested;
  }
  return view_;
}

}  // namespace loadline::placement

#include "brain/placement/plugins/resource_scoring.h"

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
    entries_.push_back({cluster.resources().find(spec.name), requested, skipped, {}, {}});
    view_.push_back({spec.weight, 0, 0, 0});
  }
}

void ResourceLens::sign(Signature& signature) const {
  for (const Entry& entry : entries_) signature.add(entry.requested);
}

bool ResourceLens::asks_nothing() const {
  return std::all_of(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.requested == 0; });
}

void ResourceLens::aim(bool ignore_load) {
  ignore_load_ = ignore_load;
  for (Entry& entry : entries_) {
    entry.capacity = entry.load = {};
    if (entry.skipped || !entry.resource.valid()) continue;
    entry.capacity = cluster_.allocatable(entry.resource);
    entry.load = cluster_.requested(entry.resource);
    if (load_ == LoadKind::kNonZero && entry.resource == cluster::kCpu) entry.load = cluster_.nonzero_cpu();
    if (load_ == LoadKind::kNonZero && entry.resource == cluster::kMemory) entry.load = cluster_.nonzero_memory();
  }
}

std::span<const ScoredResource> ResourceLens::at(cluster::NodeId node) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    ScoredResource& seen = view_[i];
    seen.capacity = entry.capacity.empty() ? 0 : entry.capacity[node.index()];
    seen.allocated = seen.capacity == 0 || ignore_load_ ? 0 : entry.load[node.index()];
    seen.requested = seen.capacity == 0 ? 0 : seen.allocated + entry.requested;
  }
  return view_;
}

}  // namespace loadline::placement

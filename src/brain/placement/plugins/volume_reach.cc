#include "brain/placement/plugins/volume_reach.h"

#include <algorithm>

#include "brain/cluster/facts/csi_migration.h"

namespace loadline::placement {

using cluster::NodeId;

VolumeReach::Terms VolumeReach::compile(const std::optional<kube::NodeSelector>& selector) {
  if (!selector) return std::nullopt;
  return cluster::compile_node_terms(*selector, cluster_.symbols());
}

/// Upstream asks with the node's labels only, so a term on the node's name meets an empty one.
bool VolumeReach::matches(const Terms& terms, NodeId node) const {
  constexpr Symbol kNoName{0};
  return !terms || cluster::matches_any(*terms, cluster_.facts(node).labels, kNoName, cluster_.symbols());
}

bool VolumeReach::reaches(const kube::PersistentVolume& volume, NodeId node) {
  const auto [entry, fresh] = volumes_.try_emplace(&volume);
  if (fresh) entry->second = compile(volume.node_affinity);
  return matches(entry->second, node);
}

Result<bool> VolumeReach::reaches_bound(const kube::PersistentVolume& volume, NodeId node) {
  const cluster::MigratedPlugin* plugin = cluster::migrated_plugin_of(volume);
  if (plugin == nullptr || !plugin->scheduled ||
      !cluster::migrated_on_node(*plugin, cluster_.volumes().csi_node(cluster_.node_name(node)))) {
    return reaches(volume, node);
  }
  const auto [entry, fresh] = translated_.try_emplace(&volume);
  if (fresh) {
    if (const auto handle = cluster::translate(volume); !handle) {
      translated_.erase(entry);
      return failure("could not translate pv: " + handle.error().message);
    }
    entry->second = compile(cluster::translated_affinity(volume));
  }
  return matches(entry->second, node);
}

bool VolumeReach::allows(const kube::StorageClass& storage_class, NodeId node) {
  const auto [entry, fresh] = classes_.try_emplace(&storage_class);
  if (fresh && !storage_class.allowed_topologies.empty()) {
    entry->second = compile(kube::NodeSelector{storage_class.allowed_topologies});
  }
  return matches(entry->second, node);
}

bool VolumeReach::reaches(const kube::CsiStorageCapacity& capacity, NodeId node) {
  const auto [entry, fresh] = capacities_.try_emplace(&capacity);
  if (fresh) entry->second = cluster::PodSelector::of(capacity.node_topology, cluster_.symbols());
  return entry->second.matches(cluster_.facts(node).labels, cluster_.symbols());
}

}  // namespace loadline::placement

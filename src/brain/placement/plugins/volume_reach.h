#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "brain/cluster/cluster.h"
#include "foundation/base/result.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/storage/storage.h"

namespace loadline::placement {

/// Which nodes can use which storage. Compiles each object's terms on first use and keeps them, so a pass over all
/// nodes costs one compilation. Holds for one cycle: the objects must not change meanwhile.
class VolumeReach {
 public:
  explicit VolumeReach(cluster::Cluster& cluster) : cluster_(cluster) {}

  /// The volume's node affinity, over the node's labels; a volume without one is everywhere.
  bool reaches(const kube::PersistentVolume& volume, cluster::NodeId node);
  /// The same for a bound volume, which a node may see through the CSI driver that took over its in-tree plugin. Fails
  /// if the volume cannot be translated.
  Result<bool> reaches_bound(const kube::PersistentVolume& volume, cluster::NodeId node);
  /// The class's allowedTopologies; a class without any allows every node.
  bool allows(const kube::StorageClass& storage_class, cluster::NodeId node);
  /// Whether the capacity is available from the node; without a topology it is from none.
  bool reaches(const kube::CsiStorageCapacity& capacity, cluster::NodeId node);

 private:
  using Terms = std::optional<std::vector<cluster::NodeTerm>>;  // nullopt: everywhere

  Terms compile(const std::optional<kube::NodeSelector>& selector);
  bool matches(const Terms& terms, cluster::NodeId node) const;

  cluster::Cluster& cluster_;
  std::unordered_map<const kube::PersistentVolume*, Terms> volumes_;
  std::unordered_map<const kube::PersistentVolume*, Terms> translated_;
  std::unordered_map<const kube::StorageClass*, Terms> classes_;
  std::unordered_map<const kube::CsiStorageCapacity*, cluster::PodSelector> capacities_;
};

}  // namespace loadline::placement

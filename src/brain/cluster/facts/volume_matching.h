#pragma once

#include <functional>
#include <vector>

#include "objects/kube/core/volume.h"

namespace loadline::cluster {

/// True if the volume is bound to, or reserved for, the claim. An object from a manifest has no uid, which contradicts
/// none.
bool belongs_to(const kube::PersistentVolume& volume, const kube::PersistentVolumeClaim& claim);

/// Every access mode that the claim asks for is one of the volume's.
bool offers_access_modes(const kube::PersistentVolume& volume, const kube::PersistentVolumeClaim& claim);

/// Whether a claim that names its volume may have it: size, class, attributes class, mode and access modes.
bool satisfies(const kube::PersistentVolume& volume, const kube::PersistentVolumeClaim& claim);

/// The volume that the scheduler binds the claim to for a pod on a node: the one reserved for the claim, else the
/// smallest available one that is large enough, first in `candidates` among equals. If the reserved one is out of
/// reach, null: no other will do. `taken` are spoken for by other claims of the pod. Example: a claim of 5Gi and
/// volumes of 20Gi, 10Gi and 1Gi: the one of 10Gi. Source: FindMatchingVolume, k8s.io/component-helpers/storage/volume,
/// v1.36.
const kube::PersistentVolume* find_volume_in_reach(const kube::PersistentVolumeClaim& claim,
                                                   const std::vector<const kube::PersistentVolume*>& candidates,
                                                   const std::vector<const kube::PersistentVolume*>& taken,
                                                   const std::function<bool(const kube::PersistentVolume&)>& reachable);

/// The same as the persistent volume controller does it, which knows no node: volumes with the fewest access modes that
/// will do come first. With `late`, only a reserved volume is found.
const kube::PersistentVolume* find_volume_anywhere(const kube::PersistentVolumeClaim& claim,
                                                   const std::vector<const kube::PersistentVolume*>& candidates,
                                                   bool late);

}  // namespace loadline::cluster

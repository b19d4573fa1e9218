#include "brain/cluster/facts/volume_matching.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "brain/cluster/ledgers/volumes.h"
#include "objects/kube/storage/storage_classes.h"

namespace loadline::cluster {
namespace {

using kube::PersistentVolume;
using kube::PersistentVolumeClaim;

unsigned mode_bits(const std::vector<kube::AccessMode>& modes) {
  unsigned bits = 0;
  for (const kube::AccessMode mode : modes) bits |= 1U << static_cast<unsigned>(mode);
  return bits;
}

/// What a volume must be whether or not it is reserved.
bool large_enough_and_alike(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return storage_of(volume.capacity) >= storage_of(claim.spec.requests) &&
         volume.volume_mode == claim.spec.volume_mode &&
         volume.volume_attributes_class_name == claim.spec.volume_attributes_class_name &&
         !volume.metadata.deletion_timestamp;
}

/// What else must hold for a volume that names no claim.
bool available_to(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  if (volume.phase != "Available") return false;
  if (claim.spec.selector && !kube::matches(*claim.spec.selector, volume.metadata.labels)) return false;
  return class_of(volume) == class_of(claim);
}

}  // namespace

bool belongs_to(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  if (!volume.claim_ref) return false;
  const kube::ObjectReference& owner = *volume.claim_ref;
  if (owner.name != claim.metadata.name || owner.namespace_ != claim.metadata.namespace_) return false;
  return owner.uid.empty() || claim.metadata.uid.empty() || owner.uid == claim.metadata.uid;
}

bool offers_access_modes(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return (mode_bits(claim.spec.access_modes) & ~mode_bits(volume.access_modes)) == 0;
}

bool satisfies(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return !volume.metadata.deletion_timestamp &&
         storage_of(volume.capacity).value() >= storage_of(claim.spec.requests).value() &&
         class_of(volume) == class_of(claim) &&
         volume.volume_attributes_class_name == claim.spec.volume_attributes_class_name &&
         volume.volume_mode == claim.spec.volume_mode && offers_access_modes(volume, claim);
}

const PersistentVolume* find_volume_in_reach(const PersistentVolumeClaim& claim,
                                             const std::vector<const PersistentVolume*>& candidates,
                                             const std::vector<const PersistentVolume*>& taken,
                                             const std::function<bool(const PersistentVolume&)>& reachable) {
  const PersistentVolume* smallest = nullptr;
  for (const PersistentVolume* volume : candidates) {
    if (std::find(taken.begin(), taken.end(), volume) != taken.end()) continue;
    const bool reserved = belongs_to(*volume, claim);
    if (volume->claim_ref && !reserved) continue;
    if (!large_enough_and_alike(*volume, claim)) continue;
    if (reserved) return reachable(*volume) ? volume : nullptr;
    if (smallest != nullptr && storage_of(smallest->capacity) <= storage_of(volume->capacity)) continue;
    if (!available_to(*volume, claim) || !offers_access_modes(*volume, claim) || !reachable(*volume)) continue;
    smallest = volume;
  }
  return smallest;
}

const PersistentVolume* find_volume_anywhere(const PersistentVolumeClaim& claim,
                                             const std::vector<const PersistentVolume*>& candidates, bool late) {
  // Ordered by number of modes, then by the modes.
  std::map<std::pair<int, unsigned>, std::vector<const PersistentVolume*>> by_modes;
  for (const PersistentVolume* volume : candidates) {
    if (!offers_access_modes(*volume, claim)) continue;
    const unsigned bits = mode_bits(volume->access_modes);
    by_modes[{std::popcount(bits), bits}].push_back(volume);
  }
  for (const auto& [modes, volumes] : by_modes) {
    const PersistentVolume* smallest = nullptr;
    for (const PersistentVolume* volume : volumes) {
      const bool reserved = belongs_to(*volume, claim);
      if (volume->claim_ref && !reserved) continue;
      if (!large_enough_and_alike(*volume, claim)) continue;
      if (reserved) return volume;
      if (late || !available_to(*volume, claim)) continue;
      if (smallest == nullptr || storage_of(smallest->capacity) > storage_of(volume->capacity)) smallest = volume;
    }
    if (smallest != nullptr) return smallest;
  }
  return nullptr;
}

}  // namespace loadline::cluster

#pragma once

#include <string>
#include <vector>

#include "brain/cluster/ledgers/volumes.h"

namespace loadline::cluster::testing {

inline std::string text_of(const kube::StringMap& map) {
  std::string text;
  for (const auto& [key, value] : map) text += ' ' + key + '=' + value;
  return text;
}

inline std::string text_of(const kube::ResourceList& amounts) {
  std::string text;
  for (const auto& [name, amount] : amounts) text += ' ' + name + ' ' + amount.to_string();
  return text;
}

inline std::string text_of(const kube::NodeSelector& selector) {
  std::string text;
  for (const kube::NodeSelectorTerm& term : selector.terms) {
    text += " |";
    for (const kube::NodeSelectorRequirement& requirement : term.match_expressions) {
      text += ' ' + requirement.key + " in";
      for (const std::string& value : requirement.values) text += ' ' + value;
    }
  }
  return text;
}

/// The claim, and the volumes that it could get.
inline std::string books_of(const VolumeCatalog& catalog, const kube::PersistentVolumeClaim& claim) {
  std::string text = "claim " + claim.metadata.namespace_ + '/' + claim.metadata.name + ' ' + claim.phase + ':';
  text += text_of(claim.metadata.annotations) + " of class " + claim.spec.storage_class_name.value_or("?");
  text += " has" + text_of(claim.status_capacity) + " from " + claim.spec.volume_name;
  text += catalog.binds_late(claim) ? " late" : " at once";
  for (const kube::PersistentVolume* volume : catalog.candidates(claim)) text += ' ' + volume->metadata.name;
  return text + '\n';
}

inline std::string books_of(const kube::PersistentVolume& volume) {
  std::string text = "volume " + volume.metadata.name + ' ' + volume.phase + ':' + text_of(volume.metadata.annotations);
  text += " of class " + volume.storage_class_name + " with" + text_of(volume.capacity) + " by " + volume.csi_driver;
  if (volume.node_affinity) text += " at" + text_of(*volume.node_affinity);
  if (!volume.claim_ref) return text + '\n';
  const kube::ObjectReference& claim = *volume.claim_ref;
  return text + " for " + claim.kind + ' ' + claim.namespace_ + '/' + claim.name + ' ' + claim.uid + '\n';
}

inline std::string books_of(const kube::CsiStorageCapacity& capacity) {
  std::string text = "capacity " + capacity.metadata.name + ':';
  if (capacity.capacity) text += ' ' + capacity.capacity->to_string();
  if (capacity.maximum_volume_size) text += " at most " + capacity.maximum_volume_size->to_string();
  return text + '\n';
}

/// All that a decision can change in the catalog, in its order, as text.
inline std::string books_of(const VolumeCatalog& catalog) {
  std::string text;
  for (const kube::PersistentVolumeClaim& claim : catalog.all_claims()) text += books_of(catalog, claim);
  for (const kube::PersistentVolume& volume : catalog.all_volumes()) text += books_of(volume);
  for (const auto& [key, capacity] : catalog.capacities()) text += books_of(capacity);
  return text;
}

/// Where the objects are that a decision can change.
inline std::vector<const void*> addresses_in(const VolumeCatalog& catalog) {
  std::vector<const void*> addresses;
  for (const kube::PersistentVolumeClaim& claim : catalog.all_claims()) {
    addresses.push_back(catalog.claim(claim.metadata.namespace_, claim.metadata.name));
  }
  for (const kube::PersistentVolume& volume : catalog.all_volumes()) {
    addresses.push_back(catalog.volume(volume.metadata.name));
  }
  for (const auto& [key, capacity] : catalog.capacities()) addresses.push_back(&capacity);
  return addresses;
}

}  // namespace loadline::cluster::testing

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "objects/kube/core/volume.h"
#include "objects/kube/storage/storage.h"

namespace loadline::kube {

/// The class by name, the beta annotation first; empty: none.
[[nodiscard]] std::string_view class_of(const PersistentVolumeClaim& claim);
[[nodiscard]] std::string_view class_of(const PersistentVolume& volume);

/// A class was asked for, be it "none", so no default applies.
[[nodiscard]] bool names_class(const PersistentVolumeClaim& claim);

/// Whether an annotation says that claims without a class get this one.
[[nodiscard]] bool is_marked_default(const StorageClass& storage_class);

/// Of two that are marked, whether `a` is the default: the newer one, then the first by name.
[[nodiscard]] bool outranks(const StorageClass& a, const StorageClass& b);

/// The class that claims without one get; null if none is marked. Source: pkg/volume/util/storageclass.go, v1.36.
template <class StorageClasses>
[[nodiscard]] const StorageClass* default_class(const StorageClasses& classes) {
  const StorageClass* best = nullptr;
  for (const StorageClass& candidate : classes) {
    if (is_marked_default(candidate) && (best == nullptr || outranks(candidate, *best))) best = &candidate;
  }
  return best;
}

/// Marks the class of that name as the default; one that is not there is made, and provisions wherever the first pod
/// that needs it goes.
void make_default_class(std::vector<StorageClass>& classes, const std::string& name);

}  // namespace loadline::kube

#pragma once

#include "objects/kube/core/volume.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

inline constexpr std::string_view kAccessModeNames[] = {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany",
                                                        "ReadWriteOncePod"};
inline constexpr Enumeration kAccessMode{kAccessModeNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<AccessMode> = &kAccessMode;

inline constexpr std::string_view kVolumeModeNames[] = {"Filesystem", "Block"};
inline constexpr Enumeration kVolumeMode{kVolumeModeNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<VolumeMode> = &kVolumeMode;

extern const Schema kPersistentVolumeClaimTemplateSchema;
extern const Schema kPersistentVolumeClaimSchema;
extern const Schema kObjectReferenceSchema;
extern const Schema kPersistentVolumeSpecSchema;
extern const Schema kPersistentVolumeSchema;
extern const Schema kPersistentVolumeClaimSpecSchema;
extern const Schema kPersistentVolumeClaimStatusSchema;

}  // namespace loadline::kube

#pragma once

#include "objects/kube/schema.h"
#include "objects/kube/storage/storage.h"

namespace loadline::kube {

inline constexpr std::string_view kVolumeBindingModeNames[] = {"Immediate", "WaitForFirstConsumer"};
inline constexpr Enumeration kVolumeBindingMode{kVolumeBindingModeNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<VolumeBindingMode> = &kVolumeBindingMode;

extern const Schema kStorageClassSchema;
extern const Schema kCsiNodeSchema;
extern const Schema kCsiDriverSchema;
extern const Schema kCsiStorageCapacitySchema;
extern const Schema kVolumeAttachmentSchema;

}  // namespace loadline::kube

#pragma once

#include "objects/kube/core/pod.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kLocalObjectReferenceSchema;
extern const Schema kAwsElasticBlockStoreVolumeSourceSchema;
extern const Schema kAzureDiskVolumeSourceSchema;
extern const Schema kFcVolumeSourceSchema;
extern const Schema kFlockerVolumeSourceSchema;
extern const Schema kGcePersistentDiskVolumeSourceSchema;
extern const Schema kHostPathVolumeSourceSchema;
extern const Schema kNfsVolumeSourceSchema;
extern const Schema kPhotonPersistentDiskVolumeSourceSchema;
extern const Schema kPortworxVolumeSourceSchema;
extern const Schema kQuobyteVolumeSourceSchema;
extern const Schema kVsphereVirtualDiskVolumeSourceSchema;
extern const Schema kVolumeSchema;

}  // namespace loadline::kube

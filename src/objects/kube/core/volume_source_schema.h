#pragma once

#include "objects/kube/core/pod.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kAwsElasticBlockStoreVolumeSourceSchema;
extern const Schema kAzureDiskVolumeSourceSchema;
extern const Schema kGcePersistentDiskVolumeSourceSchema;
extern const Schema kPortworxVolumeSourceSchema;
extern const Schema kVolumeSchema;

}  // namespace loadline::kube

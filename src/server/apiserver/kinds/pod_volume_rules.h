#pragma once

#include "foundation/document/value.h"
#include "objects/kube/scalars.h"

namespace loadline::apiserver {

/// Rules of a new pod's volumes and mounts that no decision reads, so that the typed tables do not know them: one
/// source a volume, what a source must name, mounts of volumes that are there. Errors that stand there already are not
/// added again. O(volumes · mounts). Source: pkg/apis/core/validation, validateVolumeSource and ValidateVolumeMounts,
/// v1.36.
void check_pod_volumes(kube::FieldErrors& errors, const document::Value& pod);

/// Brings what is wrong with a pod into the order of upstream's ValidatePodSpec: volumes, containers one by one, the
/// rest as it is.
void order_pod_errors(kube::FieldErrors& errors);

}  // namespace loadline::apiserver

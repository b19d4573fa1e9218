#pragma once

#include <string>
#include <vector>

#include "brain/cluster/ledgers/volumes.h"
#include "objects/kube/core/pod.h"

namespace loadline::advice {

/// The claims of the pod that are not bound, name no StorageClass, and find none that is the default: no volume will
/// ever be made for them. By name, in the order of the pod's volumes.
std::vector<std::string> claims_without_class(const cluster::VolumeCatalog& volumes, const kube::Pod& pod);

}  // namespace loadline::advice

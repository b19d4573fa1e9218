#pragma once

#include <optional>

#include "foundation/document/value.h"
#include "hosts/controllers/words.h"
#include "hosts/watching/caches.h"
#include "hosts/watching/volume_patches.h"
#include "objects/kube/core/node.h"
#include "objects/kube/storage/storage.h"

namespace loadline::controllers {

/// The volume that a provisioner would make for the claim: a CSI volume of the size asked for, reserved for the claim,
/// within reach of `node`, if there is one: the node's values of the driver's topology keys, or of those that the class
/// allows. Without a node, within the class's allowed topologies.
document::Value provisioned_volume(const ClaimObject& claim, const Observed<kube::StorageClass>& storage_class,
                                   const Observed<kube::Node>* node, const Caches& caches);

}  // namespace loadline::controllers

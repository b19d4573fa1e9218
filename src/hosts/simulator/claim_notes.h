#pragma once

#include <vector>

#include "brain/cluster/ledgers/volumes.h"
#include "foundation/base/diagnostic.h"
#include "objects/kube/storage/storage.h"

namespace loadline::simulator {

/// The claims that no volume will ever be made for because they name no StorageClass and none is the default: one
/// warning for all of them, at the first.
Diagnostics note_claims_without_class(const cluster::VolumeCatalog& volumes,
                                      const std::vector<kube::StorageClass>& classes);

}  // namespace loadline::simulator

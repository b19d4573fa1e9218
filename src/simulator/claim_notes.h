#pragma once

#include "base/diagnostic.h"
#include "cluster/volumes.h"

namespace loadline::simulator {

/// The claims that no volume will ever be made for because they name no StorageClass and none is the default: one
/// warning for all of them, at the first.
Diagnostics note_claims_without_class(const cluster::VolumeCatalog& volumes);

}  // namespace loadline::simulator

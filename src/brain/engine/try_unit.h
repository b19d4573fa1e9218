#pragma once

#include <functional>
#include <vector>

#include "brain/cluster/ids.h"
#include "brain/decision/unit.h"

namespace loadline::engine {

/// Whether the unit starts with these of its pods, in the cluster as it stands; a transaction is open.
using TryUnit = std::function<bool(const decision::Unit&, const std::vector<cluster::PodId>&)>;

}  // namespace loadline::engine

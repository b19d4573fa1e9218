#pragma once

#include "foundation/document/value.h"

namespace loadline::operators {

/// The spec of a RayCluster as KubeRay writes it when it writes a whole object that it has read: pod templates are
/// completed (as_go_completes), and groups have what Go always writes.
[[nodiscard]] document::Value ray_cluster_spec_as_written(document::Value spec);

}  // namespace loadline::operators

#pragma once

#include <string_view>

#include "foundation/document/value.h"

namespace loadline::operators {

/// The spec of a RayCluster as KubeRay writes it when it writes a whole object that it has read: pod templates are
/// completed (as_go_completes), and groups have what Go always writes.
[[nodiscard]] document::Value ray_cluster_spec_as_written(document::Value spec);

/// The object with the finalizer at the end, or without it. A custom resource takes no strategic merge patch that could
/// say so.
[[nodiscard]] document::Value with_finalizer(document::Value object, std::string_view finalizer);
[[nodiscard]] document::Value without_finalizer(document::Value object, std::string_view finalizer);

}  // namespace loadline::operators

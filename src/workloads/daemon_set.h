#pragma once

#include <string>

#include "kube/core/pod.h"

namespace loadline::workloads {

/// The node that a DaemonSet made a pod for: where it is bound, or what its node affinity names; empty if neither says.
[[nodiscard]] std::string target_node(const kube::PodSpec& spec);

}  // namespace loadline::workloads

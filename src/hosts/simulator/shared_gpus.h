#pragma once

#include <span>

#include "foundation/base/diagnostic.h"
#include "objects/kube/core/node.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// Has nodes advertise their GPUs as a ConfigMap of NVIDIA's device plugin shares them, as they would once it runs
/// there.
///
/// In force is the ConfigMap that a DaemonSet of the plugin mounts; or else the one that a ClusterPolicy of
/// gpu-operator names; or else, which is an assumption and told, the first one that shares GPUs in a namespace where
/// the plugin usually is, if the objects hold neither plugin nor policy. One that would share GPUs and is not in force
/// is told, too. Nodes that a cluster has stay as they are, since they show what is advertised there, and so do those
/// that say that their GPUs are shared already. O(ConfigMaps + nodes).
Diagnostics share_gpus(kube::Objects& objects);

/// The same of nodes that come later, in the midst of `objects`; nothing is told.
void share_gpus_of(std::span<kube::Node> nodes, const kube::Objects& objects);

}  // namespace loadline::simulator

#pragma once

#include <memory>

#include "brain/placement/plugin.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// NodeVolumeLimits: a node attaches no more volumes of a CSI driver than its CSINode says it can.
///
/// Assumes: a driver without a count in the CSINode, and a node without a CSINode, have no limit; a claim that is yet
/// to be provisioned will be a volume of its class's provisioner. Refuses: a node on which the pod's new volumes, the
/// volumes of the pods there and the volumes attached to it (each volume once) exceed the limit of a driver. In-tree
/// volumes count for the driver they were migrated to. Example: limit 2, a pod on the node uses volume `a`, the pod
/// wants `a` and `b`: 2, passes; `b` and `c`: 3, refused. Source: pkg/scheduler/framework/plugins/nodevolumelimits,
/// v1.36; its gate VolumeLimitScaling is off, as by default.
std::unique_ptr<Plugin> make_node_volume_limits(const kube::PluginArgs& args);

}  // namespace loadline::placement

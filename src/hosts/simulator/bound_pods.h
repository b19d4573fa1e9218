#pragma once

#include <optional>
#include <string>

#include "brain/cluster/cluster.h"
#include "hosts/simulator/simulated_pods.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

// Pods that their authors bound to a node, past every scheduler: spec.nodeName in a manifest or a template. Nothing has
// asked whether there is room, so the kubelet does, and the pod fails if there is none.

/// Whether the pod names its node and no kubelet has seen it yet.
[[nodiscard]] bool is_bound_by_its_author(const kube::Pod& pod);

/// Whether the pod was read as Pending on its node: its kubelet has seen it, or could have, and it has not begun. A
/// plan does not ask why (an image that cannot be pulled), so it takes no such pod any further.
[[nodiscard]] bool is_pending_on_its_node(const kube::Pod& pod);

/// What the kubelet of the node that the pod names refuses it for, or that there is no such node; nothing: it starts.
/// Taints are left out: what they do not tolerate is evicted, as a plan shows. O(resources); O(pods on the node) if it
/// wants ports of the host.
[[nodiscard]] std::optional<std::string> refused_by_kubelet(const kube::Pod& pod, const kube::Objects& objects,
                                                            const cluster::Cluster& cluster, const SimulatedPods& pods);

}  // namespace loadline::simulator

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/watching/caches.h"
#include "objects/kube/core/node.h"
#include "objects/kube/scalars.h"

namespace loadline::kubelet {

struct ContainerUsage {
  kube::Quantity cpu;     ///< cores
  kube::Quantity memory;  ///< bytes
};

/// What the containers of a pod use at that time, by name, in the order of the pod: those that run. As the annotations
/// say (loadline.dev/cpu-usage, loadline.dev/memory-usage, or KWOK's kwok.x-k8s.io/usage-cpu and -memory); otherwise
/// about half of what is requested, a little more or less in slow waves; of nothing, a little. Never more memory than
/// the limit. Pure: the same pod at the same time uses the same. O(containers).
std::vector<std::pair<std::string, ContainerUsage>> usage_of(const watching::Observed<kube::Pod>& pod, Instant at);

/// The sum over the node's pods, and what the machine itself takes.
ContainerUsage usage_of(const watching::Observed<kube::Node>& node, const watching::Caches& caches, Instant at);

}  // namespace loadline::kubelet

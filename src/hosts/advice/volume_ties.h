#pragma once

#include <vector>

#include "hosts/advice/explanation.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/objects.h"

namespace loadline::advice {

/// Where nodes are refused because a volume is tied to other nodes: says in `subject` which claim it is and in `wanted`
/// what its volume is tied to, if only one claim of the pod is tied to anything.
void name_tied_volumes(const kube::Objects& objects, const kube::Pod& pod, std::vector<NodeGroup>& groups);

}  // namespace loadline::advice

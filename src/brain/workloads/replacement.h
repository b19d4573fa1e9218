#pragma once

#include <cstdint>
#include <optional>

#include "objects/kube/core/pod.h"
#include "objects/kube/objects.h"

namespace loadline::workloads {

/// The pod that the controller of `gone` creates when it was evicted, preempted or deleted; nothing for a bare pod, a
/// static pod, or if the controller is among `objects` and wants no pods (suspended, scaled to zero, being deleted). It
/// has the spec of `gone` without its node. StatefulSet: the same name. DaemonSet: for the same node. Job: the same
/// index. Others: a new name; `generation` is a number not used before for this owner, below 14,000,000. Whether `gone`
/// was a surplus replica is for the caller to know.
std::optional<kube::Pod> replace(const kube::Pod& gone, const kube::Objects& objects, std::uint64_t generation,
                                 std::uint64_t seed);

}  // namespace loadline::workloads

#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/controllers/object.h"
#include "objects/kube/core/pod.h"

namespace loadline::controllers {

/// How many active pods of related ReplicaSets each node holds.
using PodsOnNodes = std::unordered_map<std::string, std::int64_t>;

/// The `count` pods that a ReplicaSet gives up first, first in front: those without a node; pending before unknown
/// before running; not ready; of the lowest controller.kubernetes.io/pod-deletion-cost; where most of their relatives
/// are; ready for the shortest time; with the most restarts, sidecars' last; youngest. Times count by their logarithm,
/// and uids, which are drawn by chance, separate the rest. O(pods · log count) where pods remain, else O(pods).
///
/// Upstream lets uids decide at once where two times of readiness differ but not their logarithms; then its order is no
/// order (a < b < c < a). Source: ActivePodsWithRanks in pkg/controller/controller_utils.go, v1.36.
std::vector<const Observed<kube::Pod>*> first_to_delete(std::vector<const Observed<kube::Pod>*> pods, std::size_t count,
                                                        const PodsOnNodes& relatives, Instant now);

}  // namespace loadline::controllers

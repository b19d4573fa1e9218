#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"

namespace loadline::workloads {

/// How many active pods of related ReplicaSets each node holds.
using PodsOnNodes = std::unordered_map<std::string, std::int64_t>;

/// What controller.kubernetes.io/pod-deletion-cost says; what is no number costs nothing.
[[nodiscard]] std::int32_t deletion_cost(const kube::Pod& pod);

/// Which `count` pods a ReplicaSet gives up first, by their places in `pods`, first in front: those without a node;
/// pending before unknown before running; not ready; of the lowest controller.kubernetes.io/pod-deletion-cost; where
/// most of their relatives are; ready for the shortest time; with the most restarts, sidecars' last; youngest. Times
/// count by their logarithm, and uids, which are drawn by chance, separate the rest. All places, in order, if no pod
/// remains. O(pods · log count) where pods remain, else O(pods).
///
/// Upstream lets uids decide at once where two times of readiness differ but not their logarithms; then its order is no
/// order (a < b < c < a). Source: ActivePodsWithRanks in pkg/controller/controller_utils.go, v1.36.
[[nodiscard]] std::vector<std::size_t> first_to_delete(const std::vector<const kube::Pod*>& pods, std::size_t count,
                                                       const PodsOnNodes& relatives, Instant now);

}  // namespace loadline::workloads

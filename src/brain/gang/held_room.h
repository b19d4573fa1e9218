#pragma once

#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/gang/eviction_units.h"

namespace loadline::gang {

// A group may have placeholders among its members: they hold room for pods of it that are created later, see
// workloads::kStartsWith. They count towards its minimum and have their places in its turn. They leave with the last of
// its pods, and by themselves never.

/// Whether the member holds room for a pod that is yet to come.
[[nodiscard]] inline bool is_placeholder(const cluster::Cluster& cluster, cluster::PodId member) {
  return cluster.pod(member).reservation.valid();
}

/// Whether a pod of the group is on a node and stays there, or has succeeded. O(members).
[[nodiscard]] bool is_under_way(const cluster::Cluster& cluster, cluster::GroupId group);

/// How many placeholders of the group have a node. O(members).
[[nodiscard]] std::int64_t held_places(const cluster::Cluster& cluster, const cluster::PodGroup& group);

/// What is left of those that leave for others once placeholders are taken out: these no host can evict, and they are
/// given up when the pods of their group leave. Units of nothing else go.
void leave_out_placeholders(const cluster::Cluster& cluster, std::vector<EvictionUnit>& victims);

}  // namespace loadline::gang

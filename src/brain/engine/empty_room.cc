#include "brain/engine/empty_room.h"

#include <algorithm>
#include <limits>

namespace loadline::engine {

using cluster::NodeId;
using cluster::PodId;

namespace {

/// Whether something else than nodes, and pods that are in the way, decides where the pod may be.
bool waits_for_other_objects(const cluster::PodShape& shape) {
  const auto is_claim = [](const kube::Volume& volume) {
    return volume.persistent_volume_claim.has_value() || volume.ephemeral_claim.has_value();
  };
  return !shape.required_affinity.empty() || !shape.spec->resource_claims.empty() ||
         std::ranges::any_of(shape.spec->volumes, is_claim);
}

}  // namespace

bool EmptyRoom::could_hold(std::span<const PodId> pods, std::size_t least) {
  if (!is_current()) rooms_.clear();
  seen_ = cluster_.facts_changes().end();
  std::map<cluster::ShapeId, std::int64_t> count;
  std::int64_t held = 0;
  for (const PodId pod : pods) {
    if (++count[cluster_.pod(pod).shape] <= of(pod)) ++held;
  }
  return held >= static_cast<std::int64_t>(least);
}

std::int64_t EmptyRoom::of(PodId pod) {
  const auto [found, is_new] = rooms_.try_emplace(cluster_.pod(pod).shape, std::numeric_limits<std::int64_t>::max());
  if (!is_new || waits_for_other_objects(cluster_.shape_of(pod))) return found->second;
  const placement::CountableDemand& demand = scheduler_.demand_of(pod);
  std::int64_t room = 0;
  for (const NodeId node : scheduler_.resolvable(pod, cluster_.nodes())) {
    room += placement::pods_that_fit(demand, cluster_.allowed_pods(node), [&](cluster::ResourceId resource) {
      return cluster_.allocatable(node, resource);
    });
  }
  return found->second = room;
}

}  // namespace loadline::engine

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
  const cluster::PodShape& shape = cluster_.shape_of(pod);
  if (!is_new || waits_for_other_objects(shape)) return found->second;
  std::int64_t room = 0;
  for (const NodeId node : scheduler_.resolvable(pod, cluster_.nodes())) {
    std::int64_t here = cluster_.allowed_pods(node);
    for (const cluster::ResourceAmount& wanted : shape.requests) {
      if (wanted.amount > 0) here = std::min(here, cluster_.allocatable(node, wanted.resource) / wanted.amount);
    }
    room += std::max<std::int64_t>(here, 0);
  }
  return found->second = room;
}

}  // namespace loadline::engine

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/gang/search/group_demand.h"
#include "brain/gang/search/packing.h"
#include "brain/placement/profile.h"

namespace loadline::gang {

/// What members mind of each other, beside whether a node has room for both.
enum class Concern : std::uint8_t {
  kRoom,        ///< nothing, or what is on the same node: host ports, anti-affinity by node
  kNeighbours,  ///< what is elsewhere: anti-affinity by wider domains. Whoever is placed keeps others out, lets none in
  kOrder,       ///< another member may let them in, or its place decides about theirs: affinity, spread, volumes
};

/// Members that no filter tells apart, whose places no other member tells apart (likeness.h), and that are of the same
/// parts of the group.
struct MemberKind {
  std::vector<cluster::PodId> pods;  ///< in the order of the demand
  Concern concern = Concern::kRoom;
  PackingKind room;

  // ---- of kOrder: where members may go that may not go there yet ---------------------------------------------------
  /// Where pods of these kinds are, or near them by this key.
  struct Follows {
    std::size_t kind = 0;
    cluster::TopologyKeyId key;
  };
  std::vector<Follows> follows;
  bool may_open_anywhere = false;  ///< any node, for all that is known

  [[nodiscard]] cluster::ShapeId shape(const cluster::Cluster& cluster) const {
    return cluster.pod(pods.front()).shape;
  }
};

/// The members of a demand by kind, and what of the nodes' room decides about them.
struct MemberKinds {
  std::vector<MemberKind> kinds;
  PackingDemand demand;
  /// The dimensions of room: pods first, then these resources. Nothing: the profile does not filter by room.
  std::optional<std::vector<cluster::ResourceId>> resources;
  bool uses_storage = false;   ///< some member's volumes can keep it from a node
  bool knows_filters = false;  ///< false: filters take part of which nothing is known
};

/// O(members), and O(kinds² × terms). `nodes` are those that the search is about.
MemberKinds member_kinds(cluster::Cluster& cluster, const placement::Profile& profile, const GroupDemand& demand,
                         std::span<const cluster::NodeId> nodes);

/// What is free on the node for members of at least that priority: pods of as high a one that are nominated to it have
/// their room. `admits` is empty.
PackingNode room_on(const cluster::Cluster& cluster, const MemberKinds& kinds, cluster::NodeId node,
                    std::int32_t priority);

}  // namespace loadline::gang

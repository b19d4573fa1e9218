#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/scheduler.h"

namespace loadline::gang {

/// So many members alike have to find room.
struct RoomNeed {
  cluster::ShapeId shape;
  placement::CountableDemand demand;  ///< of one of them
  std::int32_t priority = 0;
  std::int64_t members = 0;
  std::vector<cluster::NodeId> nodes;  ///< those that they may ever be on
};

/// The members' needs as far as they can be counted: `least` of the members that wait have to start together. Of kinds
/// of members that are not needed all, those count that have to be among them. `nodes` are left to the caller.
std::vector<RoomNeed> room_needs(const cluster::Cluster& cluster, placement::Scheduler& scheduler,
                                 std::span<const cluster::PodId> members, std::size_t least);

/// How many members would have room if pods left: a bound that no placement exceeds, by what they demand that can be
/// counted; what else keeps a pod from a node is not looked at. So it tells that a set of victims cannot suffice, and
/// proposes one that may; whether it does, the filters say. Kinds of members that share nodes are counted in three
/// ways:
///  - each by itself, as if the others were not there;
///  - with it those that ask for at least as much and may be on no other nodes: in their place one of the kind fits;
///  - all that ask for a resource together, by the sum of what is free. Of a node that counts which a multiple of all
///    their requests can use: of 7 free GPUs, members of 2 and 4 use 6.
/// Example: members of 8, 4 and 4 GPUs on nodes of 8 lack 2 nodes, not 1.
class RoomCount {
 public:
  /// As the cluster stands. Pods that are nominated, and that all members give way to, count as placed.
  /// O(nodes of the needs × (resources + kinds) + kinds²), and a few bytes for each node of the cluster. REQUIRES: no
  /// member is nominated; and the cluster is as it was in every later call.
  RoomCount(const cluster::Cluster& cluster, std::vector<RoomNeed> needs);

  /// The pods are thought to leave, or to be back. O(pods × resources).
  void remove(std::span<const cluster::PodId> pods);
  void restore(std::span<const cluster::PodId> pods);

  /// How many members lack room, summed up over what is counted. Zero: there may be room for all.
  [[nodiscard]] std::int64_t missing() const;
  /// The same if each kind had so many members more.
  [[nodiscard]] std::int64_t missing(std::int64_t slack) const;
  /// Whether a member may ever be on the node.
  [[nodiscard]] bool is_of_use(cluster::NodeId node) const { return places_[node.index()] != kNowhere; }
  /// How much of the members' demand the pod holds, in thousandths of a request, summed up over resources.
  [[nodiscard]] std::int64_t share_of(cluster::PodId pod) const;

 private:
  /// Of a node among those that a member may be on: a domain has few of the cluster's.
  using Place = std::uint32_t;
  static constexpr Place kNowhere = std::numeric_limits<Place>::max();

  struct Kind {
    RoomNeed need;
    std::vector<std::pair<std::size_t, std::int64_t>> requests;  // column, amount
    std::vector<bool> nodes;                                     // by place
    std::int64_t room = 0;                                       // on all nodes
    std::int64_t counted = 0;                                    // members of it, and of kinds that include it
    std::int64_t kinds = 0;                                      // so many kinds are counted with it, itself too
  };
  /// What several kinds ask for of one resource.
  struct Pool {
    std::size_t column = 0;
    std::int64_t wanted = 0;                // by all members
    std::int64_t one_of_each = 0;           // by one of each kind
    std::int64_t largest = 0, divisor = 0;  // of the requests
    std::vector<bool> nodes;                // by place
    std::int64_t room = 0;                  // on all nodes
  };

  void shift(std::span<const cluster::PodId> pods, std::int64_t sign);
  void count_nominated();
  void count_together();
  void pool(std::size_t column);
  void add_kind(RoomNeed need);
  void add_node(cluster::NodeId node);
  [[nodiscard]] std::int64_t room_on(const Kind& kind, Place place) const;
  [[nodiscard]] std::int64_t room_on(const Pool& pool, Place place) const;
  void recount(Place place);
  void shift_one(cluster::PodId pod, Place place, std::int64_t sign);

  const cluster::Cluster& cluster_;
  std::vector<Kind> kinds_;
  std::vector<Pool> pools_;
  std::vector<cluster::ResourceId> resources_;  // that members demand, a column each; the last column is places
  std::vector<std::size_t> columns_;            // by resource; none: kNone
  std::vector<Place> places_;                   // by node
  std::vector<std::int64_t> free_;              // by place and column
  std::vector<std::int64_t> room_;              // by place, of each kind and each pool: as it is summed up
  std::vector<Place> shifted_;                  // scratch: places to be counted anew
  std::vector<bool> is_shifted_;                // by place
};

}  // namespace loadline::gang

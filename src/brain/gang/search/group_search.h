#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/gang/place.h"
#include "brain/gang/search/group_demand.h"
#include "brain/placement/scheduler.h"

namespace loadline::gang {

/// How a search for a placement ended.
enum class SearchEnding : std::uint8_t {
  kFound,
  kProven,    ///< there is no placement
  kBudget,    ///< it took as many steps as it was allowed; nothing is known
  kNotAsked,  ///< nothing was found, but not everything was looked at: an extender would have to be asked again and
              ///< again, or reservations hold room that members may use
};

/// Why there is no placement, as data. A text of it is made at the edge.
struct SearchProof {
  enum class Cause : std::uint8_t {
    kAlone,   ///< of the pods `who` names, `needed` have to find a place, and the nodes have room for `available`
    kSum,     ///< the pods need `needed` of the resource, and `available` is on the nodes that they may go to
    kShared,  ///< the pods may go to the same nodes, which have room for `available` of them; `needed` have to go there
    kTried,   ///< every placement that was left was tried
  };
  /// Pods that are alike.
  struct Alike {
    std::string pod;  ///< the name of the first
    std::int64_t members = 0;
    friend bool operator==(const Alike&, const Alike&) = default;
  };
  Cause cause = Cause::kTried;
  std::vector<Alike> who;  ///< those that have too little; empty: all
  std::string resource;    ///< of kSum; "pods": how many a node takes
  std::int64_t needed = 0;
  std::int64_t available = 0;
  std::int64_t nodes = 0;  ///< how many of the nodes any of the pods may go to
  friend bool operator==(const SearchProof&, const SearchProof&) = default;
};

/// What became of a search, without the places.
struct SearchReport {
  SearchEnding ending = SearchEnding::kBudget;
  SearchProof proof;  ///< of kProven
  std::uint64_t steps = 0;
  std::uint64_t budget = 0;
  friend bool operator==(const SearchReport&, const SearchReport&) = default;
};

struct GroupSearch {
  SearchReport report;
  std::vector<Place> places;  ///< of kFound: in an order in which they can be placed
};

/// So many steps a search may take: nodes of the search tree, and more of them where a node of the tree looks at many
/// members and nodes of the cluster. Never time, so the same question has the same answer. Random groups of up to 10
/// members on up to 8 nodes never came near it (completeness_test.cc).
inline constexpr std::uint64_t kSearchBudget = 200'000;

/// Finds places on these nodes for as many members as the demand asks for, or proves that there are none.
///
/// A placement is an order and a node for each member that has a place, such that each passes all filters with those
/// before it in their places. Evictions are none of it, nor is room that reservations hold; nominations of members are
/// disregarded. With an ample budget the answer is complete: kProven if there is no placement, whatever the members ask
/// of each other (affinity, spread, ports, volumes), unless filters that are not built in change their minds.
/// Members that mind each other for room alone are packed as numbers (packing.h), all others are tried on the model
/// (model_search.h); what is found has passed the filters.
///
/// The cluster is as before on return: the caller puts the members there (place.h), in the order of `places`. Surplus
/// members that may have places, too, are the caller's. O(1) members of one kind cost one filter pass over the nodes.
/// REQUIRES: the members are on no node, and the scheduler has their profile; no unseen transaction is open.
GroupSearch search_group(cluster::Cluster& cluster, placement::Scheduler& scheduler, const GroupDemand& demand,
                         std::span<const cluster::NodeId> nodes, std::uint64_t budget = kSearchBudget);

}  // namespace loadline::gang

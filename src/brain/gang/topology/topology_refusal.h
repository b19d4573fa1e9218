#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "brain/cluster/ids.h"
#include "brain/gang/topology/domain_tree.h"

namespace loadline::gang {

// Why a group has no place near each other: values, of which topology_refusal_text.h makes sentences.

/// What is wrong with what a group, or one of its subgroups, asks for.
struct WishFault {
  enum class Kind : std::uint8_t {
    kMembersDisagree,       ///< pods ask for different topologies
    kUnknownTopology,       ///< `topology`; `known` are those that there are
    kUnknownLevel,          ///< levels[0] of `topology`, which has those `known`
    kLevelsOfNoTopology,    ///< `levels`; `known` are those of all topologies
    kSlicesWithoutSize,     ///< within levels[0]
    kSlicesWithoutLevel,    ///< of `size` pods
    kSlicesBroaderThanAll,  ///< within levels[0], where all pods are to be within levels[1]
    kSlicesOfParts,         ///< of a subgroup that has parts
    kSlicesOfSubgroups,     ///< of a group that has subgroups
  };
  Kind kind = Kind::kMembersDisagree;
  std::string topology = {};
  std::vector<std::string> levels = {};
  std::vector<DomainTree::Level> known = {};
  std::int32_t size = 0;
  std::string subgroup = {};  ///< empty: it is the group's own
  friend bool operator==(const WishFault&, const WishFault&) = default;
};

/// A member is on a node that is in no domain of the required level.
struct MemberOutside {
  cluster::NodeId node;
  std::string level;
  friend bool operator==(const MemberOutside&, const MemberOutside&) = default;
};

/// Members are on nodes of several domains.
struct MembersApart {
  std::vector<std::string> domains;
  friend bool operator==(const MembersApart&, const MembersApart&) = default;
};

/// No domain takes a part of the group.
struct NoDomainTakes {
  /// What the domains are.
  enum class Scope : std::uint8_t { kCluster, kLabel, kLevel };
  struct Slices {
    std::int64_t found = 0;  ///< in the best domain
    std::int32_t size = 0;
    std::string level;
    friend bool operator==(const Slices&, const Slices&) = default;
  };

  std::string part;  ///< a subgroup, or a slice; empty: the group
  Scope scope = Scope::kCluster;
  std::string level;
  std::size_t domains = 0;
  std::int64_t pods = 0;  ///< of the part, that wait
  std::int64_t most = 0;  ///< members that a domain has room for
  std::string best;       ///< the domain that has; empty: none has any
  std::optional<Slices> slices;
  std::optional<DomainTree::Fault> fault;  ///< the tree may be wrong
  friend bool operator==(const NoDomainTakes&, const NoDomainTakes&) = default;
};

using TopologyRefusal = std::variant<WishFault, MemberOutside, MembersApart, NoDomainTakes>;

}  // namespace loadline::gang

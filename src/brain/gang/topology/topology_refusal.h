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
  struct MembersDisagree {
    friend bool operator==(const MembersDisagree&, const MembersDisagree&) = default;
  };
  struct UnknownTopology {
    std::string name;
    std::vector<std::string> known;
    friend bool operator==(const UnknownTopology&, const UnknownTopology&) = default;
  };
  struct UnknownLevel {
    std::string topology, level;
    std::vector<DomainTree::Level> known;
    friend bool operator==(const UnknownLevel&, const UnknownLevel&) = default;
  };
  struct LevelsOfNoTopology {
    std::vector<std::string> levels;
    std::vector<std::string> known;  ///< labels and aliases of all topologies
    friend bool operator==(const LevelsOfNoTopology&, const LevelsOfNoTopology&) = default;
  };
  struct SlicesWithoutSize {
    std::string level;
    friend bool operator==(const SlicesWithoutSize&, const SlicesWithoutSize&) = default;
  };
  struct SlicesWithoutLevel {
    std::int32_t size = 0;
    friend bool operator==(const SlicesWithoutLevel&, const SlicesWithoutLevel&) = default;
  };
  struct SlicesBroaderThanAll {
    std::string slices, all;  ///< levels
    friend bool operator==(const SlicesBroaderThanAll&, const SlicesBroaderThanAll&) = default;
  };
  /// They are asked of a subgroup that has parts.
  struct SlicesOfParts {
    friend bool operator==(const SlicesOfParts&, const SlicesOfParts&) = default;
  };
  /// They are asked of a group that has subgroups.
  struct SlicesOfSubgroups {
    friend bool operator==(const SlicesOfSubgroups&, const SlicesOfSubgroups&) = default;
  };

  std::variant<MembersDisagree, UnknownTopology, UnknownLevel, LevelsOfNoTopology, SlicesWithoutSize,
               SlicesWithoutLevel, SlicesBroaderThanAll, SlicesOfParts, SlicesOfSubgroups>
      what;
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

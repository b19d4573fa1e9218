#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foundation/document/value.h"

namespace loadline::kube {

/// The pods of a set that lie in one domain.
struct TopologyDomainAssignment {
  std::vector<std::string> values;  ///< one a level
  std::int32_t count = 0;

  friend bool operator==(const TopologyDomainAssignment&, const TopologyDomainAssignment&) = default;
};

/// Where the pods of a set of a Workload lie.
struct TopologyAssignment {
  std::vector<std::string> levels;  ///< node labels, the broadest first; the hostname alone if it is the last one
  std::vector<TopologyDomainAssignment> domains;

  friend bool operator==(const TopologyAssignment&, const TopologyAssignment&) = default;
};

/// v1beta1 lists the domains. v1beta2 packs them into slices, in which a level says one value for all domains, or what
/// all values of the level begin and end with, and what is between; and the counts are one for all, or one for each.
/// Example: `levels: [rack, host]`, and a slice of `domainCount: 2`, `valuesPerLevel: [{universal: r1}, {individual:
/// {prefix: node-, roots: ["1", "2"]}}]`, `podCounts: {universal: 4}` is r1/node-1 and r1/node-2, of four pods each.
/// What is not as its definition says counts as empty. O(size of the document * levels).
TopologyAssignment read_topology_assignment(const document::Value& assignment);

}  // namespace loadline::kube

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "brain/gang/topology/domain_tree.h"

namespace loadline::gang {

/// The trees that wishes ask for, kept while nothing changed that they are made of: a turn does not look at thousands
/// of nodes to find what is near what. A change of nodes' capacity or taints costs the nodes that changed; a node that
/// comes, goes or gets other labels, a new tree. What is returned is valid as long as nodes and topologies stay.
class DomainTrees {
 public:
  explicit DomainTrees(const cluster::Cluster& cluster) : cluster_(cluster) {}

  /// The tree of a TopologySpec; null: there is none of that name.
  const DomainTree* find(std::string_view topology);
  /// The tree of these labels, the broadest first.
  const DomainTree& of_labels(const std::vector<std::string>& labels);

 private:
  struct Kept {
    DomainTree tree;
    bool is_by_labels = true;
    cluster::ChangeLog::Mark seen = 0;          // of facts_changes()
    cluster::ChangeLog::Mark members_seen = 0;  // of membership_changes()
  };
  void see(Kept& kept) const;
  [[nodiscard]] bool is_current(Kept& kept) const;

  const cluster::Cluster& cluster_;
  std::uint64_t specs_seen_ = 0;  // TopologySpecs::version()
  std::map<std::string, Kept, std::less<>> named_;
  std::map<std::vector<std::string>, Kept> by_labels_;
};

}  // namespace loadline::gang

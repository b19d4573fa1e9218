#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "brain/cluster/cluster.h"

namespace loadline::gang {

/// The subgroups of a group as the tree that they are: the group itself at its root, and the leaves, which have the
/// pods. A leaf has its minimum if so many of its pods are on nodes; what has parts, if so many of these have theirs as
/// it says, all unless it says so. Parts that are each other's come to no end, and count as none.
/// Example: KAI's PodGroup with minSubGroup 2 and subgroups a, b, c of 4 pods each: any two of them, whole.
class SubgroupTree {
 public:
  using Leaves = std::vector<std::size_t>;  ///< places in GroupRules::subgroups, in order

  explicit SubgroupTree(const cluster::GroupRules& rules);

  /// Whether some part may do without all of its own.
  [[nodiscard]] bool has_choice() const { return has_choice_; }
  /// It may have pods. A part of itself is none: its pods are in no subgroup.
  [[nodiscard]] bool is_leaf(std::size_t subgroup) const { return parts_[subgroup].empty() && !is_lost_[subgroup]; }
  /// The subgroup that the subgroup is a part of; nothing: the group itself.
  [[nodiscard]] std::optional<std::size_t> parent_of(std::size_t subgroup) const;
  /// The parts of a subgroup, or (nothing) of the group.
  [[nodiscard]] const std::vector<std::size_t>& parts_of(std::optional<std::size_t> subgroup) const;

  /// Whether the group has its minimum if those leaves have theirs that `is_met` says.
  [[nodiscard]] bool is_met(const std::function<bool(std::size_t leaf)>& is_met) const;
  /// Whether the subgroup has.
  [[nodiscard]] bool is_met(std::size_t subgroup, const std::function<bool(std::size_t leaf)>& is_met) const;

  /// Sets of leaves of which each, if all of its leaves have their minimum, suffices for the group: those come first
  /// whose parts are smaller, and among equals those that stand first. Only leaves for which `may_be` holds are in
  /// them, and at most so many sets are listed. O(sets × subgroups).
  [[nodiscard]] std::vector<Leaves> sufficient(const std::function<bool(std::size_t leaf)>& may_be,
                                               std::size_t at_most) const;

 private:
  [[nodiscard]] std::int64_t least_of(std::size_t subgroup) const;
  [[nodiscard]] std::size_t enough(std::optional<std::size_t> subgroup) const;
  [[nodiscard]] std::vector<Leaves> sufficient_below(std::optional<std::size_t> subgroup,
                                                     const std::function<bool(std::size_t)>& may_be,
                                                     std::size_t at_most) const;
  [[nodiscard]] std::vector<Leaves> sufficient_of(std::size_t subgroup, const std::function<bool(std::size_t)>& may_be,
                                                  std::size_t at_most) const;

  const cluster::GroupRules& rules_;
  std::vector<std::vector<std::size_t>> parts_;  // by subgroup
  std::vector<std::size_t> top_;                 // parts of the group
  std::vector<bool> is_lost_;                    // by subgroup: its parents are its own parts
  bool has_choice_ = false;
};

/// The leaf that the pod is of; nothing: it is of none. The first that has it counts.
[[nodiscard]] std::optional<std::size_t> leaf_of(const cluster::Cluster& cluster, const SubgroupTree& tree,
                                                 const cluster::GroupRules& rules, cluster::PodId pod);

}  // namespace loadline::gang

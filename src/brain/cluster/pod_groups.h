#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/cluster/ids.h"
#include "brain/cluster/unused_ids.h"

namespace loadline::cluster {

/// Pods that are scheduled as one. It is known from the first pod that names it on, or from its own object.
struct PodGroup {
  Symbol name_space;
  std::string name;
  bool is_described = false;   ///< its object is there
  std::int32_t min_count = 0;  ///< so many start together or none does; 0: a basic group, or nothing is known yet
  std::vector<PodId> members;  ///< that are known, in order of creation
  std::size_t placed = 0;      ///< how many of them are on nodes
};

/// The ledger of pod groups. Who is a member is what pods say; how many of them are placed follows every placement, and
/// so every placement that is undone. An id is used again once nothing speaks of the group.
class PodGroups {
 public:
  /// REQUIRES: the id was given out, and something still speaks of the group.
  [[nodiscard]] const PodGroup& at(GroupId id) const { return groups_[id.index()]; }
  /// Invalid: nothing speaks of such a group.
  [[nodiscard]] GroupId find(Symbol name_space, std::string_view name) const;

  /// Its object is there. Returns the id, and whether anything is different now.
  std::pair<GroupId, bool> describe(Symbol name_space, std::string_view name, std::int32_t min_count);
  /// Its object is gone; the members are left. Invalid: there was none.
  GroupId forget(Symbol name_space, std::string_view name);

  GroupId join(Symbol name_space, std::string_view name, PodId pod);
  /// REQUIRES: the pod is a member, and not placed.
  void leave(GroupId id, PodId pod);
  void count_placed(GroupId id, std::int32_t sign) {
    groups_[id.index()].placed += static_cast<std::size_t>(static_cast<std::int64_t>(sign));
  }

 private:
  using Key = std::pair<Symbol, std::string>;
  GroupId intern(Symbol name_space, std::string_view name);
  void release_if_unused(GroupId id);

  std::vector<PodGroup> groups_;
  std::map<Key, GroupId> ids_;
  UnusedIds<GroupId> unused_;
};

}  // namespace loadline::cluster

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "brain/cluster/ids.h"
#include "brain/cluster/ledgers/finished_members.h"
#include "brain/cluster/spellings/group_description.h"
#include "brain/cluster/spellings/group_name.h"
#include "brain/cluster/spellings/group_rules.h"
#include "brain/cluster/unused_ids.h"

namespace loadline::cluster {

/// With how many members a group was whole, those that had succeeded among them.
struct GroupStart {
  std::int32_t min_count = 0;                                  ///< of all
  std::map<std::string, std::int32_t, std::less<>> subgroups;  ///< of each, by its name
  friend bool operator==(const GroupStart&, const GroupStart&) = default;
};

/// A copy of a later part: the part's place in GroupRules::later, and what its pods have in their label.
using LaterCopy = std::pair<std::size_t, Symbol>;

/// Pods that are scheduled as one. It is known from the first pod that names it on, or from its own object.
struct PodGroup {
  Symbol name_space;
  std::string name;
  GroupSpelling spelling = GroupSpelling::kKubernetes;  ///< in whose words its pods name it
  bool is_described = false;  ///< its object is there, or, in a spelling without one, a pod that says its minimum
  /// So many of those that have not ended start together, or none does; 0: each by itself, or nothing is known yet.
  std::int32_t min_count = 0;
  std::int32_t described_min_count = 0;  ///< as it is written; min_count is less by those that have succeeded
  std::int32_t to_come = 0;              ///< and by these: members of later parts of which none is there yet
  std::size_t succeeded = 0;             ///< pods of the group that are done, and count towards its minimum
  FinishedMembers finished;              ///< which these are
  /// So many were on nodes together at one time, as the API server had it: what it lost since is to be replaced, but
  /// the others go on. False: that is not known.
  bool has_started = false;
  /// The minimums that were met when the group was last whole, or less, where they were lowered since. A group that has
  /// as many is not broken, however much is asked of it by now. Nothing: it has not started, or had other minimums
  /// then, which are not known.
  std::optional<GroupStart> started_with;
  std::string uid;                         ///< of its object
  GroupRules rules;                        ///< what its object says beside; subgroups that are to come have no minimum
  TopologyWish asked_by_members;           ///< what their annotations say; of the first that says something
  bool members_disagree = false;           ///< one of them said something else
  std::vector<PodId> members;              ///< that are known, in order of creation
  std::size_t leaving = 0;                 ///< how many of them are being deleted
  std::size_t placed = 0;                  ///< how many of the others are on nodes
  std::map<LaterCopy, std::size_t> later;  ///< members that stay of each copy of a later part that has some

  /// Members that stay: those that are being deleted count for nothing.
  [[nodiscard]] std::int64_t staying() const {
    return static_cast<std::int64_t>(members.size()) - static_cast<std::int64_t>(leaving);
  }
  /// So many of those that are there, or have succeeded, start together.
  [[nodiscard]] std::int32_t minimum_now() const { return described_min_count - to_come; }
  /// What its object says, or, where that says nothing, what its members say.
  [[nodiscard]] const TopologyWish& topology_wish() const {
    return rules.topology.empty() && rules.topology.slice_size == 0 ? asked_by_members : rules.topology;
  }
  /// So many more have to be placed for it to start; one, where it has its minimum and grows.
  [[nodiscard]] std::int64_t still_needed() const {
    return std::max<std::int64_t>(min_count - static_cast<std::int64_t>(placed), 1);
  }
  [[nodiscard]] bool is_partly_placed() const { return placed > 0 && static_cast<std::int64_t>(placed) < min_count; }
  /// What is asked of it now.
  [[nodiscard]] GroupStart asked() const;
};

/// The ledger of pod groups. Who is a member is what pods say; how many of them are placed, or leave, follows every
/// step of the cluster, and so every step that is undone. An id is used again once nothing speaks of the group.
class PodGroups {
 public:
  /// REQUIRES: the id was given out, and something still speaks of the group.
  [[nodiscard]] const PodGroup& at(GroupId id) const { return groups_[id.index()]; }
  /// Invalid: nothing speaks of such a group.
  [[nodiscard]] GroupId find(Symbol name_space, const GroupName& name) const;
  /// Those of which some members are on nodes, in order of namespace, spelling and name.
  [[nodiscard]] std::vector<GroupId> placed() const;

  /// What its object says. Returns the id, and whether turns could go differently now.
  std::pair<GroupId, bool> describe(Symbol name_space, const GroupDescription& description);
  /// It has started, with so many.
  void set_started(GroupId id, GroupStart with);
  /// Its object is gone; the members are left. Invalid: there was none.
  GroupId forget(Symbol name_space, const GroupName& name);

  /// An annotation of a member says where the group is to be.
  void ask(GroupId id, const TopologyWish& wish);
  /// `said`: what the pod says of its group; the first of its pods is believed, until all have gone.
  GroupId join(Symbol name_space, const GroupName& name, PodId pod, const GroupDescription* said);
  /// REQUIRES: the pod is a member, and counts neither as placed nor as leaving.
  void leave(GroupId id, PodId pod);
  /// A pod of the group has succeeded; it goes on to count towards the minimum.
  GroupId add_succeeded(Symbol name_space, const GroupName& name, const SucceededPod& pod, SymbolTable& symbols);
  /// One that had is gone. Invalid: nothing speaks of the group any more.
  GroupId remove_succeeded(Symbol name_space, const GroupName& name, std::string_view pod, const SymbolTable& symbols);
  /// See FinishedMembers::record(). Returns the id (invalid: nothing speaks of the group), and whether the minimum is
  /// another one now.
  std::pair<GroupId, bool> record_succeeded(Symbol name_space, const GroupName& name, const SuccessRecord& record,
                                            SymbolTable& symbols);
  void count_placed(GroupId id, std::int32_t sign) {
    groups_[id.index()].placed += static_cast<std::size_t>(static_cast<std::int64_t>(sign));
  }
  /// One more member stays that is of a later part, or (-1) one fewer. Returns whether the minimum is another.
  bool count_later(GroupId id, LaterCopy copy, std::int32_t sign);
  void count_leaving(GroupId id, std::int32_t sign) {
    groups_[id.index()].leaving += static_cast<std::size_t>(static_cast<std::int64_t>(sign));
  }

 private:
  using Key = std::tuple<Symbol, GroupSpelling, std::string>;
  GroupId intern(Symbol name_space, const GroupName& name);
  static void settle_minimum(PodGroup& group);
  static void settle_start(PodGroup& group, const GroupDescription& description, bool is_another);
  static void settle_later_parts(PodGroup& group);
  bool release_if_unused(GroupId id);

  std::vector<PodGroup> groups_;
  std::map<Key, GroupId> ids_;
  UnusedIds<GroupId> unused_;
};

}  // namespace loadline::cluster

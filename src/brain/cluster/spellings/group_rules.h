#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/facts/labels.h"

namespace loadline::cluster {

/// Where pods that belong together are to be, relative to each other. A level is named as its topology names it: by the
/// label of its nodes, or by an alias, a tier or the tier's name. An empty text asks for nothing.
struct TopologyWish {
  std::string topology;   ///< name of a TopologySpec; empty: a level is a label by itself, whatever domains it lies in
  std::string required;   ///< all are in one domain of this level, or none starts
  std::string preferred;  ///< in one domain of this level if they can be, else in one of the next broader level, …
  std::int32_t slice_size = 0;    ///< so many of them are a slice; 0: there are no slices
  std::string slice_required;     ///< each slice is in one domain of this level
  bool slices_are_whole = false;  ///< a last slice that is smaller does not start

  [[nodiscard]] bool empty() const { return required.empty() && preferred.empty() && slice_required.empty(); }
  friend bool operator==(const TopologyWish&, const TopologyWish&) = default;
};

/// A part of a group, with a minimum and a place of its own. One that others are parts of has their members and no
/// others.
struct SubGroup {
  std::string name;
  PodSelector selector;           ///< its members are those of the group with these labels,
  std::vector<std::string> pods;  ///< or, if there are any here, those of these names
  std::int32_t min_count = 0;     ///< so many of them start together with the group, or it does not
  TopologyWish topology;
  std::optional<std::size_t> part_of;         ///< place of the subgroup that it is a part of; nothing: the group itself
  std::optional<std::int32_t> min_subgroups;  ///< so many of its parts have their minimum, or it has not; nothing: all
  friend bool operator==(const SubGroup&, const SubGroup&) = default;
};

/// Pods of a group that come later than others of it: whoever creates them waits until those run, or have a node. Until
/// one of them is there, none of them counts towards the minimum.
struct LaterPart {
  std::string name;         ///< "workers"
  std::int32_t pods = 0;    ///< so many of the minimum are its, of each copy
  PodSelector selector;     ///< its pods are those of the group with these labels
  Symbol copy_label;        ///< pods with another value of this label are another copy; invalid: there is one
  std::int32_t copies = 1;  ///< of which any may be there without the others
  /// The subgroups that these pods are, and their minimums, which count once the pods are there.
  std::vector<std::pair<std::size_t, std::int32_t>> subgroups;
  friend bool operator==(const LaterPart&, const LaterPart&) = default;
};

/// What the object of a group says of it, whichever kind of object that is, beside how many start together.
struct GroupRules {
  TopologyWish topology;
  std::vector<SubGroup> subgroups;
  std::vector<LaterPart> later;
  std::vector<std::string> starts_after;      ///< groups of the same workload and spelling that start before it
  std::optional<std::int32_t> min_subgroups;  ///< so many of its parts have their minimum; nothing: all
  bool is_evicted_whole = false;              ///< one of its pods leaves for another only with all of them
  std::string priority_class;                 ///< names the priority, where that is not given as a number
  std::optional<std::int32_t> priority;       ///< of the group as a whole; nothing: each pod has its own

  [[nodiscard]] bool has_minimums_of_subgroups() const {
    return std::ranges::any_of(subgroups, [](const SubGroup& each) { return each.min_count > 0; });
  }
  friend bool operator==(const GroupRules&, const GroupRules&) = default;
};

}  // namespace loadline::cluster

#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "hosts/simulator/plan.h"

namespace loadline::simulator {

/// Finds the groups of a plan by the words in which its pods, or the groups and pods of another plan, name them.
/// Refers to the groups that it was made of: it must not outlive them. O(groups · log groups) to make.
class GroupIndex {
 public:
  explicit GroupIndex(const std::vector<PlannedGroup>& groups);

  /// The index of the group that the pod belongs to; nullopt: it is in none of them. O(log groups).
  [[nodiscard]] std::optional<std::size_t> of(const PlannedPod& pod) const;
  /// The index of the group that is known by the same name; nullopt: none is. O(log groups).
  [[nodiscard]] std::optional<std::size_t> of(const PlannedGroup& group) const;

 private:
  using Key = std::tuple<cluster::GroupSpelling, std::string_view, std::string_view>;  // namespace, name

  [[nodiscard]] std::optional<std::size_t> find(const Key& key) const;

  std::map<Key, std::size_t> index_;
};

}  // namespace loadline::simulator

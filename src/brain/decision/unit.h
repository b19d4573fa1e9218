#pragma once

#include <compare>
#include <cstddef>
#include <functional>

#include "brain/cluster/ids.h"

namespace loadline::decision {

/// What is decided about at a time: a pod, or all pods of a group that wait.
struct Unit {
  cluster::PodId pod;      ///< invalid: a group
  cluster::GroupId group;  ///< invalid: a pod that belongs to none

  Unit() = default;
  explicit Unit(cluster::PodId single) : pod(single) {}
  explicit Unit(cluster::GroupId whole) : group(whole) {}
  [[nodiscard]] bool is_group() const { return group.valid(); }
  friend auto operator<=>(const Unit&, const Unit&) = default;
};

}  // namespace loadline::decision

template <>
struct std::hash<loadline::decision::Unit> {
  std::size_t operator()(loadline::decision::Unit unit) const noexcept {
    return unit.is_group() ? ~std::size_t{unit.group.value} : std::size_t{unit.pod.value};
  }
};

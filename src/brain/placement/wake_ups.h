#pragma once

#include <compare>

namespace loadline::placement {

/// Which pods that come or go elsewhere may help a pod that a plugin refused. That room is made may help any.
struct WakeUps {
  bool by_affinity = false;    ///< one is placed that a required affinity term of the pod matches
  bool by_namespace = false;   ///< one of its namespace is placed, or leaves
  bool by_placements = false;  ///< any is placed: what was looked at is unknown

  [[nodiscard]] bool any() const { return by_affinity || by_namespace || by_placements; }
  WakeUps& operator|=(const WakeUps& other) {
    by_affinity = by_affinity || other.by_affinity;
    by_namespace = by_namespace || other.by_namespace;
    by_placements = by_placements || other.by_placements;
    return *this;
  }
  friend auto operator<=>(const WakeUps&, const WakeUps&) = default;
};

}  // namespace loadline::placement

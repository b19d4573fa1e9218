#pragma once

#include <compare>

#include "brain/queue/kueue/quotas.h"

namespace loadline::queue::kueue {

/// The dominant resource share of a node: how much it borrows, as its parent sees it.
///
/// ratio: over resources the largest of 1000 · Σ over flavors of max(0, used - subtree) / lendable(parent, resource);
/// a resource of which nothing can be lent counts for nothing. The share that is compared is ratio / weight; who
/// borrows with weight 0 has the largest, and among such the ratio tells.
/// Source: Kueue v0.19.2, pkg/cache/scheduler/fair_sharing.go, in floating point and its order of operations.
struct Share {
  double weight = 1;
  double ratio = 0;
  Symbol dominant = {};  ///< of equal ratios the alphabetically first; invalid: it borrows nothing that can be lent
  bool borrows = false;  ///< something, even if nothing of it can be lent

  [[nodiscard]] bool is_infinite() const { return weight == 0 && ratio != 0; }
  /// ratio / weight; infinity for is_infinite().
  [[nodiscard]] double weighted() const;
};

/// A lower share is preferred for admission, a higher one for preemption.
[[nodiscard]] std::strong_ordering compare(const Share& a, const Share& b);

/// Of a node without a parent: 0, and it borrows nothing. O(declared cells).
[[nodiscard]] Share share_of(const Quotas& quotas, QuotaNodeId node);

}  // namespace loadline::queue::kueue

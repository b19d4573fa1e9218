#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "brain/placement/cycle.h"

namespace loadline::placement {

/// How many nodes each rejection keeps away, in order of the rejections' ids. A cluster has few different ones at a
/// time, however many nodes it has. O(log of them) each, or O(of them) for one that is new or gone.
class RejectionTally {
 public:
  void add(RejectionId rejection, std::size_t nodes = 1) {
    auto place = find(rejection);
    if (place == counts_.end() || place->rejection != rejection) place = counts_.insert(place, {rejection, 0});
    place->nodes += nodes;
    nodes_ += nodes;
  }
  /// REQUIRES: it was added.
  void remove(RejectionId rejection) {
    const auto place = find(rejection);
    --nodes_;
    if (--place->nodes == 0) counts_.erase(place);
  }

  [[nodiscard]] const std::vector<RejectionCount>& counts() const { return counts_; }
  /// Of all rejections together.
  [[nodiscard]] std::size_t nodes() const { return nodes_; }

 private:
  std::vector<RejectionCount>::iterator find(RejectionId rejection) {
    return std::lower_bound(counts_.begin(), counts_.end(), rejection,
                            [](const RejectionCount& count, RejectionId id) { return count.rejection < id; });
  }

  std::vector<RejectionCount> counts_;
  std::size_t nodes_ = 0;
};

}  // namespace loadline::placement

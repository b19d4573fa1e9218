#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "brain/cluster/facts/labels.h"
#include "brain/cluster/ids.h"

namespace loadline::cluster {

/// Counters by a label that the pods they count need, so that a pod is compared with few of them: a thousand Services
/// are a thousand counters.
class CountersByLabel {
 public:
  /// Puts the counter under the rarest of the labels, of which all it counts have each. None: it may count any pod.
  void add(CounterId id, const std::vector<Label>& needed);
  /// REQUIRES: it was added, with the same labels.
  void remove(CounterId id, const std::vector<Label>& needed);
  /// Those from `first` on that may count pods of these labels, in order. O(labels · log + how many they are).
  [[nodiscard]] std::vector<CounterId> candidates(const LabelSet& labels, std::size_t first) const;

 private:
  std::map<Label, std::vector<CounterId>> by_label_;  // each list in order
  std::vector<CounterId> of_any_;                     // in order
};

}  // namespace loadline::cluster

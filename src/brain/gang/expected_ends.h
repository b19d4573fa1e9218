#pragma once

#include <unordered_map>
#include <vector>

#include "brain/cluster/cluster.h"
#include "foundation/base/time.h"

namespace loadline::gang {

/// A pod leaves its node.
struct End {
  Instant at;
  cluster::PodId pod;
  bool is_guess = false;  ///< its expected end has passed, or it is terminating: it is said to end soon, and may not
};

/// When pods that are on nodes are expected to leave them.
///
/// A pod ends RunFacts::expected after it started. The pods of a group end together: the last start among them
/// counts. Of a pod without an expected run nothing is known; it is taken to stay. Neither is an end expected of a
/// placeholder.
///
/// A pod that outlives its end is expected to end a little later, then twice as much later, and so on: see corrected().
/// Once it has done so for longer than it was expected to run, and than kPatience, nothing is known of its end either.
/// A pod that is terminating ends kSoon from now.
class ExpectedEnds {
 public:
  static constexpr Duration kSoon = Duration::seconds(60);
  /// So long a pod may always outlive its expected end.
  static constexpr Duration kPatience = Duration::seconds(300);

  /// O(pods on nodes · log).
  ExpectedEnds(const cluster::Cluster& cluster, Instant now);

  /// The pod has started since. O(ends). REQUIRES: it is on a node, and the time is still `now`.
  void add(const cluster::Cluster& cluster, cluster::PodId pod, Instant now);
  /// The pod's end is no longer believed: it is taken to stay. O(ends).
  void forget(cluster::PodId pod);

  /// Ascending, and all after `now`.
  [[nodiscard]] const std::vector<End>& all() const { return ends_; }
  /// Whether the pod has left by then; a pod whose end is unknown has not. O(1).
  [[nodiscard]] bool is_over(cluster::PodId pod, Instant by) const {
    const auto known = by_pod_.find(pod);
    return known != by_pod_.end() && known->second <= by;
  }

  /// `end`, or if it has passed `now`, the first of end + kSoon, end + 2 kSoon, end + 4 kSoon, … that has not.
  /// Source: predictions are corrected as runs exceed them, in growing steps (Tsafrir, Etsion, Feitelson, "Backfilling
  /// Using System-Generated Predictions Rather than User Runtime Estimates", TPDS 18(6), 2007); the steps are ours.
  static Instant corrected(Instant end, Instant now);
  /// Whether a pod that was expected to run so long, and to end then, has outlived that by too much.
  static bool is_refuted(Instant end, Duration run, Instant now);

 private:
  std::vector<End> ends_;
  std::unordered_map<cluster::PodId, Instant> by_pod_;
};

}  // namespace loadline::gang

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/cycle.h"

namespace loadline::engine {

/// Pods that wait for their turn, and pods whose attempt failed.
///
/// Order: priority, then age. A pod that failed is parked until something happens that might help it; then it backs
/// off: it comes after all pods that have not been tried since, those with fewer failures first (1 s, 2 s, … 10 s
/// windows). As upstream pops the backoff queue when nothing else waits (SchedulerPopFromBackoffQ), no time is lost. A
/// wake-up may turn out useless, but no pod that a change could help is left out.
/// Source: kube-scheduler v1.36, backend/queue; docs/differences.md on hints.
class SchedulingQueue {
 public:
  explicit SchedulingQueue(const cluster::Cluster& cluster) : cluster_(cluster) {}

  void push(cluster::PodId pod);
  /// The next pod, or nothing if all that wait are parked.
  std::optional<cluster::PodId> pop();
  /// After a failed attempt. `refused_by`: the plugins that refused the pod, whether in the attempt or in the dry runs
  /// of its preemption.
  void park(cluster::PodId pod, const std::vector<std::string_view>& refused_by);
  /// The pod is gone, and its failures with it. O(log pods). REQUIRES: the cluster knows the pod still, or its record
  /// as it was removed, and its priority is what it was when it was pushed.
  void remove(cluster::PodId pod);

  /// A pod was placed: may help parked pods with pod affinity or topology spread constraints.
  void pod_placed(cluster::PodId pod);
  /// A pod is being deleted, and still holds its resources: may help pods with topology spread constraints, which do
  /// not count it.
  void pod_leaving(cluster::PodId pod);
  /// A pod left, or a node changed: may help any parked pod.
  void wake_all();
  /// A pod's own victims are gone, or its nomination was taken away.
  void wake(cluster::PodId pod);

  [[nodiscard]] bool empty() const { return active_.empty() && backoff_.empty(); }
  [[nodiscard]] std::size_t waiting() const { return active_.size() + backoff_.size(); }

 private:
  using ActiveKey = std::tuple<std::int64_t, std::uint64_t, cluster::PodId>;                 // -priority, age
  using BackoffKey = std::tuple<std::int64_t, std::int64_t, std::uint64_t, cluster::PodId>;  // window, -priority, age

  struct Parked {
    bool by_affinity = false;
    bool by_spread = false;
    bool by_extender = false;
  };

  [[nodiscard]] bool helps(const cluster::PodShape& placed, cluster::PodId parked, const Parked& why) const;
  void back_off(cluster::PodId pod);
  [[nodiscard]] ActiveKey active_key(cluster::PodId pod) const;
  [[nodiscard]] BackoffKey backoff_key(cluster::PodId pod) const;

  const cluster::Cluster& cluster_;
  std::set<ActiveKey> active_;
  std::set<BackoffKey> backoff_;
  std::unordered_map<cluster::PodId, Parked> parked_;
  std::set<cluster::PodId> wakeable_by_placement_;  // parked for an unmet pod affinity or for skew
  std::unordered_map<cluster::PodId, std::int64_t> failures_;
};

}  // namespace loadline::engine

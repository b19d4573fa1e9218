#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "brain/engine/dispatcher.h"
#include "foundation/observe/instruments.h"
#include "foundation/observe/stopwatch.h"
#include "hosts/scheduler/live_cluster_model.h"
#include "hosts/watching/subscriptions.h"

namespace loadline::scheduler {

/// Measures and logs what the scheduler does: its turns as they are taken, bindings as the API server confirms them,
/// and the pods that wait. It only observes; no decision depends on it.
///
/// What differs from kube-scheduler's figures: pods that failed count as unschedulable until they are bound or gone,
/// also while they wait for another turn, for that comes at once when no other pod waits.
class SchedulerMeter {
 public:
  /// Listens to pods; what is named outlives it, and `instruments.scheduler` is not null.
  SchedulerMeter(watching::Subscriptions& subscriptions, const LiveClusterModel& model,
                 observe::Instruments instruments);
  SchedulerMeter(const SchedulerMeter&) = delete;
  SchedulerMeter& operator=(const SchedulerMeter&) = delete;

  /// A turn about that pod was taken, in so many seconds.
  void took(const TrackedPod& pod, const decision::PodTurn& turn, double seconds);

  /// A turn of a pod, or of a group, is over. One of more than 100 ms is logged, as kube-scheduler logs its cycles.
  void turn_ended(const decision::Turn& turn, double seconds);

  /// O(pods that wait).
  [[nodiscard]] observe::SchedulerFigures figures() const;

 private:
  /// A pod without a node.
  struct Waiting {
    observe::Stopwatch since;
    std::size_t attempts = 0;
    std::optional<observe::Stopwatch> decided;   ///< its binding is under way
    double decision_seconds = 0;                 ///< of that
    std::vector<std::string_view> refused_by{};  ///< plugins, in the last attempt
  };

  void on_pod(const watching::Change<kube::Pod>& change);
  void bound(const watching::Observed<kube::Pod>& pod, const Waiting& waiting);
  void failed(const TrackedPod& pod, const decision::PodTurn& turn, Waiting& waiting, double seconds);

  const LiveClusterModel& model_;
  const watching::Caches& caches_;
  observe::Instruments instruments_;
  std::map<watching::ObjectKey, Waiting> waiting_;
  double longest_turn_ = 0;  // seconds
};

}  // namespace loadline::scheduler

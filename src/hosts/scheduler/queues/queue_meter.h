#pragma once

#include <memory>
#include <vector>

#include "foundation/base/event_loop.h"
#include "foundation/observe/kueue_metrics.h"
#include "hosts/scheduler/queues/live_queues.h"
#include "hosts/watching/subscriptions.h"

namespace loadline::scheduler::queues {

/// Measures Kueue's queues: what becomes of Workloads, as the API server tells of it, whoever wrote it, from when it is
/// made on; and who waits. It only observes; no decision depends on it.
class QueueMeter {
 public:
  /// Listens to Workloads; everything that is named outlives it.
  QueueMeter(watching::Subscriptions& subscriptions, const EventLoop& clock, const LiveQueues& queues,
             std::shared_ptr<observe::KueueMetrics> metrics);
  QueueMeter(const QueueMeter&) = delete;
  QueueMeter& operator=(const QueueMeter&) = delete;

  /// O(ClusterQueues).
  [[nodiscard]] std::vector<observe::ClusterQueueFigures> figures() const { return queues_.figures(); }

 private:
  void on_workload(const watching::Change<kube::KueueWorkload>& change);

  const EventLoop& clock_;
  const LiveQueues& queues_;
  std::shared_ptr<observe::KueueMetrics> metrics_;
};

}  // namespace loadline::scheduler::queues

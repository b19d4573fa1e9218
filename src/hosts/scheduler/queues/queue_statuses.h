#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "brain/queue/kueue/kueue_scheduler.h"
#include "foundation/base/event_loop.h"
#include "foundation/document/value.h"
#include "hosts/scheduler/queues/queue_books.h"
#include "hosts/scheduler/status_writer.h"
#include "hosts/watching/actuator.h"
#include "hosts/watching/caches.h"

namespace loadline::scheduler::queues {

/// What is to stand in the status of a queue: whole members, and its condition Active; null: a Cohort has none.
struct QueueStatus {
  document::Value members;    ///< an object; a null member is taken away
  document::Value condition;  ///< without its time
  friend bool operator==(const QueueStatus&, const QueueStatus&) = default;
};

/// Keeps the statuses of ClusterQueues, LocalQueues and Cohorts as Kueue does: of all that has changed within a second
/// each queue is written once.
/// Source: Kueue v0.19.2, pkg/controller/core/{clusterqueue,localqueue,cohort}_controller.go; UpdatesBatchPeriod.
class QueueStatuses {
 public:
  using Scheduler = queue::kueue::KueueScheduler;

  /// Everything that is named outlives it. The caches have the kinds of queues.
  QueueStatuses(EventLoop& loop, const watching::Caches& caches, watching::Actuator& actuator, QueueBooks& books);
  QueueStatuses(const QueueStatuses&) = delete;
  QueueStatuses& operator=(const QueueStatuses&) = delete;

  /// From now on it writes, of this scheduler, which outlives it, or is replaced before by another one.
  void start(const Scheduler& scheduler);
  /// Something has changed that the books say, or that all queues may be concerned by.
  void look_later();
  void touch_all();

 private:
  void look();
  void look_at_cluster_queue(const std::string& name);
  void look_at_local_queue(const watching::ObjectKey& key);
  void look_at_cohorts();

  EventLoop& loop_;
  const watching::Caches& caches_;
  QueueBooks& books_;
  StatusWriter<QueueStatus> cluster_queues_;
  StatusWriter<QueueStatus> local_queues_;
  StatusWriter<QueueStatus> cohorts_;
  const Scheduler* scheduler_ = nullptr;
  std::unique_ptr<EventLoop::Timer> batch_;  // null: nothing has changed
};

}  // namespace loadline::scheduler::queues

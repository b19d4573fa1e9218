#pragma once

#include <functional>
#include <memory>

#include "brain/decision/turn.h"
#include "brain/queue/kueue/kueue_scheduler.h"
#include "foundation/base/event_loop.h"
#include "hosts/scheduler/live_cluster_model.h"
#include "hosts/scheduler/scheduling.h"
#include "hosts/watching/cache.h"
#include "objects/kube/client.h"

namespace loadline::scheduler {

/// Stands between a Scheduling and its host, and sees all that passes between them. A Scheduling is a function of what
/// it is told here: the tasks of its loop and their time, the answers to its requests, the changes of the caches that
/// it reads, and two calls of its host. So whoever writes that down can have every decision made again.
class SchedulingTap {
 public:
  SchedulingTap() = default;
  SchedulingTap(const SchedulingTap&) = delete;
  SchedulingTap& operator=(const SchedulingTap&) = delete;
  virtual ~SchedulingTap() = default;

  // ---- what the scheduler works with, instead of what the host has -------------------------------------------------
  [[nodiscard]] virtual EventLoop& loop() = 0;
  [[nodiscard]] virtual kube::Client& client() = 0;
  /// The scheduler reads this cache. Called before its first change, more than once for some.
  virtual void reads(watching::AnyCache& cache) = 0;

  // ---- what the host is about to call ------------------------------------------------------------------------------
  virtual void will_start() = 0;
  virtual void will_wake() = 0;

  /// The scheduler has decided, and has not acted upon it yet.
  virtual void took(const decision::PodTurn& turn, LiveClusterModel& model) = 0;
  /// Likewise its queues; `scheduler` is as they have decided.
  virtual void decided(const queue::kueue::Round& round, const queue::kueue::KueueScheduler& scheduler) = 0;
};

/// Makes the tap of a scheduler that is about to be made with these options; `loop` and `client` outlive it.
using MakeTap = std::function<std::unique_ptr<SchedulingTap>(EventLoop& loop, kube::Client& client,
                                                             const SchedulingOptions& options)>;

}  // namespace loadline::scheduler

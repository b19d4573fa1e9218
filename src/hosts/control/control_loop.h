#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "foundation/base/event_loop.h"
#include "foundation/base/result.h"
#include "foundation/observe/instruments.h"
#include "hosts/control/reconciler.h"
#include "hosts/controllers/controller.h"
#include "hosts/scheduler/queues/queue_meter.h"
#include "hosts/scheduler/scheduler_meter.h"
#include "hosts/scheduler/scheduling.h"
#include "hosts/scheduler/scheduling_tap.h"
#include "hosts/watching/event_recorder.h"
#include "hosts/watching/informers.h"
#include "objects/kube/client.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::control {

/// The API as that user; `manager` owns the fields that it writes.
using ClientFactory = std::function<std::unique_ptr<kube::Client>(std::string user, std::string manager)>;

/// Watches the API server, asks controllers and the scheduler what to do, and carries that out. It keeps nothing that
/// it could not learn again from the API server, so it can end at any point and begin anew.
class ControlLoop {
 public:
  ControlLoop(EventLoop& loop, const ClientFactory& client_for);
  ControlLoop(const ControlLoop&) = delete;
  ControlLoop& operator=(const ControlLoop&) = delete;
  ~ControlLoop();

  // ---- before start() ----------------------------------------------------------------------------------------------
  /// The metrics and the log of all controllers and the scheduler that are added after this.
  void set_instruments(observe::Instruments instruments) { instruments_ = std::move(instruments); }
  /// Where the API server has a thread of its own: how a task waits until both threads have done their other work.
  void give_way(watching::EventRecorder::TakeTurn take_turn) { recorder_.give_way(std::move(take_turn)); }
  /// One of kube-controller-manager's, as the user system:serviceaccount:kube-system:NAME.
  void add(std::unique_ptr<controllers::Controller> controller);
  /// A controller of another component, such as a kubelet, with a user and a field manager of its own.
  void add(std::unique_ptr<controllers::Controller> controller, std::string user, std::string manager);
  /// `make_tap` (may be empty) makes what stands between it and this loop. Errors: the configuration is inconsistent.
  Result<void> add_scheduler(scheduler::SchedulingOptions options, const scheduler::MakeTap& make_tap = {});

  /// Begins to watch; once everything is known, controllers and scheduler begin to act, and `when_synced` (may be
  /// empty) is called.
  void start(std::function<void()> when_synced = {});

  [[nodiscard]] watching::Caches& caches() { return informers_.caches(); }
  [[nodiscard]] const watching::Caches& caches() const { return informers_.caches(); }
  /// Tells of every decision of the scheduler before it is acted upon. REQUIRES: there is one.
  void when_decided(std::function<void(const decision::PodTurn&)> tell);
  /// What the scheduler knows; null without one.
  [[nodiscard]] scheduler::LiveClusterModel* model() {
    return scheduling_ == nullptr ? nullptr : &scheduling_->model();
  }
  /// Of the scheduler; all zero without one that is measured.
  [[nodiscard]] observe::SchedulerFigures figures() const {
    return meter_ == nullptr ? observe::SchedulerFigures() : meter_->figures();
  }
  /// Of Kueue's queues; none without a scheduler that is measured.
  [[nodiscard]] std::vector<observe::ClusterQueueFigures> queue_figures() const {
    return queue_meter_ == nullptr ? std::vector<observe::ClusterQueueFigures>() : queue_meter_->figures();
  }
  /// Kueue's queues; null: there is no scheduler, or they are not its matter.
  [[nodiscard]] const scheduler::queues::LiveQueues* queues() const {
    return scheduling_ == nullptr ? nullptr : scheduling_->queues();
  }
  /// Nothing waits for its turn, no request is under way. What waits for a time does not count.
  [[nodiscard]] bool is_idle() const;

 private:
  void on_advance(const watching::CacheAdvance& news);
  void on_synced();
  void wake_scheduler();
  watching::Actuator::Say say_as(std::string source);

  EventLoop& loop_;
  ClientFactory client_for_;
  std::unique_ptr<kube::Client> reader_;
  std::unique_ptr<kube::Client> event_writer_;
  watching::Informers informers_;
  watching::EventRecorder recorder_;
  std::vector<std::unique_ptr<kube::Client>> clients_;
  observe::Instruments instruments_;
  std::vector<std::unique_ptr<Reconciler>> reconcilers_;
  std::unique_ptr<scheduler::SchedulerMeter> meter_;  // null: the scheduler is not measured
  std::unique_ptr<scheduler::SchedulingTap> tap_;     // null: none
  std::unique_ptr<scheduler::Scheduling> scheduling_;
  std::unique_ptr<scheduler::queues::QueueMeter> queue_meter_;  // null: the queues are not measured
  std::function<void()> when_synced_;
  bool has_synced_ = false;  // everything that controllers and scheduler read is known
};

}  // namespace loadline::control

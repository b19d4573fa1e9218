#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/result.h"
#include "control/event_recorder.h"
#include "control/informers.h"
#include "control/reconciler.h"
#include "control/scheduling/scheduling.h"
#include "controllers/controller.h"
#include "kube/client.h"
#include "kube/config/scheduler_configuration.h"

namespace loadline::control {

/// The API as that user; `manager` owns the fields that it writes.
using ClientFactory = std::function<std::unique_ptr<kube::Client>(std::string user, std::string manager)>;

/// The shell around the brain: watches the API server, asks controllers and the scheduler what to do, and has it done.
/// It keeps nothing that it could not learn again from the API server, so it can end at any point and begin anew.
class ControlLoop {
 public:
  ControlLoop(EventLoop& loop, const ClientFactory& client_for);
  ControlLoop(const ControlLoop&) = delete;
  ControlLoop& operator=(const ControlLoop&) = delete;
  ~ControlLoop();

  // ---- before start() ----------------------------------------------------------------------------------------------
  /// As the user system:serviceaccount:kube-system:NAME, as kube-controller-manager's controllers are, unless it is
  /// somebody else: a node.
  void add(std::unique_ptr<controllers::Controller> controller, std::string user = {});
  /// Errors: the configuration is inconsistent.
  Result<void> add_scheduler(const kube::SchedulerConfiguration& configuration);

  /// Begins to watch; once everything is known, controllers and scheduler begin to act, and `when_synced` (may be
  /// empty) is called.
  void start(std::function<void()> when_synced = {});

  [[nodiscard]] controllers::Caches& caches() { return informers_.caches(); }
  /// What the scheduler knows; null without one.
  [[nodiscard]] LivingCluster* model() { return scheduling_ == nullptr ? nullptr : &scheduling_->model(); }
  /// Nothing waits for its turn, no request is under way. What waits for a time does not count.
  [[nodiscard]] bool is_idle() const;

 private:
  void on_news(const News& news);
  void on_synced();
  Actuator::Say say_as(std::string source);

  EventLoop& loop_;
  ClientFactory client_for_;
  std::unique_ptr<kube::Client> reader_;
  std::unique_ptr<kube::Client> event_writer_;
  Informers informers_;
  EventRecorder recorder_;
  std::vector<std::unique_ptr<kube::Client>> clients_;
  std::vector<std::unique_ptr<Reconciler>> reconcilers_;
  std::unique_ptr<Scheduling> scheduling_;
  std::function<void()> when_synced_;
  bool has_synced_ = false;
};

}  // namespace loadline::control

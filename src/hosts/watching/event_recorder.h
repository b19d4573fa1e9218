#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "foundation/base/event_loop.h"
#include "hosts/watching/event_correlator.h"
#include "hosts/watching/event_series.h"
#include "objects/kube/client.h"

namespace loadline::watching {

/// Writes what controllers and the scheduler say into the cluster, as Events. It gives way to other work: it writes a
/// few events at a time, and only now and then while the event loops are behind. What does not fit into its queue is
/// lost, as in upstream, where each component has a queue of a thousand.
class EventRecorder {
 public:
  /// Runs a task behind all the work there is. Of one thread: what its loop does with what is posted.
  using TakeTurn = std::function<void(EventLoop::Task)>;

  EventRecorder(EventLoop& loop, kube::Client& client);
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  /// How it finds out whether others have work to do.
  void give_way(TakeTurn take_turn) { take_turn_ = std::move(take_turn); }
  /// `source` is the component that says it: "replicaset-controller".
  void record(const std::string& source, const Event& event);
  /// What the scheduler says; equal ones become a series.
  void record(const SchedulingEvent& event);
  [[nodiscard]] bool is_idle() const { return queue_.empty() && open_ == 0; }

 private:
  /// What was said, when, and how to make something to be written of it: that costs as much as writing, so it waits,
  /// too.
  using Said = std::function<EventWrite()>;

  void enqueue(Said said);
  void post();
  void take_turn();
  void consider();
  void work();
  void send(EventWrite write);
  void finish(const EventWrite& write, const kube::Answer<document::Value>& answer);
  void await_tick();

  EventLoop& loop_;
  kube::Client& client_;
  TakeTurn take_turn_;
  EventCorrelator correlator_;
  EventSeries series_;
  std::deque<Said> queue_;
  std::size_t open_ = 0;
  bool is_posted_ = false;
  Instant posted_;
  Instant worked_;
  std::unique_ptr<EventLoop::Timer> pause_;
  std::unique_ptr<EventLoop::Timer> tick_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // answers under way look at it
};

}  // namespace loadline::watching

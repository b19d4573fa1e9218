#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "foundation/base/event_loop.h"
#include "foundation/observe/log.h"
#include "foundation/observe/work_queue_metrics.h"
#include "hosts/controllers/controller.h"
#include "hosts/watching/actuator.h"
#include "hosts/watching/informers.h"
#include "hosts/watching/object_key_hash.h"

namespace loadline::control {

/// Runs one controller: keeps the keys that want attention, asks the controller about one after the other, has done
/// what it says, and asks again where it failed: after 5 ms, doubling to 1000 s, as client-go's rate limiter does.
///
/// A key is asked about by one at a time, never before the caches have seen what was done for it the last time and the
/// controller's pause is over, and however often it was mentioned meanwhile, once. Within a task of the loop a few keys
/// are done, so that others get their turn.
///
/// A controller that throws, as for want of memory, has its object parked: a Warning event says so, the object is
/// looked at again after a second, doubling to 1000 s, and no more than every five seconds while it changes. All other
/// objects go on.
///
/// A key may act 500 times at once, and from then on a hundred times a second. This ends the race of two controllers
/// that undo each other's work: one that has not heard yet that its object is gone makes pods, which the garbage
/// collector, which has heard of it, deletes. Upstream, where one client makes all requests of all controllers, twenty
/// a second, does not need that.
class Reconciler {
 public:
  Reconciler(EventLoop& loop, watching::Informers& informers, std::unique_ptr<controllers::Controller> controller,
             kube::Client& client, watching::Actuator::Say say);
  Reconciler(const Reconciler&) = delete;
  Reconciler& operator=(const Reconciler&) = delete;
  ~Reconciler();

  /// Its metrics and its log; either may be null. Both outlive it. Before start().
  void set_instruments(observe::WorkQueueMetrics::Queue* metrics, observe::Log* log);
  /// From now on keys are worked off.
  void start();
  void add(const watching::ObjectKey& key);
  void on_advance(const watching::CacheAdvance& news);
  /// Nothing waits for its turn, and nothing is being done. Keys that wait for a time do not count.
  [[nodiscard]] bool is_idle() const { return turns_.empty() && busy_ == 0; }
  [[nodiscard]] controllers::Controller& controller() { return *controller_; }

 private:
  struct Key;
  using Ptr = std::shared_ptr<Key>;

  void post();
  void work();
  void reconcile(const Ptr& key);
  void park(const Ptr& key, std::string_view why);
  void on_outcome(const Ptr& key, watching::ReconciliationResult outcome);
  void await(const Ptr& key, const watching::Written& written);
  void end(const Ptr& key);
  void rest(const Ptr& key, Duration span);
  void take_up(const Ptr& key);
  void ask_after(const Ptr& key, Duration delay);
  void on_time(const watching::ObjectKey& name);
  void count_act(const Ptr& key);
  void await_tick();
  void on_tick();
  void forget_if_done(const Ptr& key);
  void enqueue(const Ptr& key);
  void tell_failure(const Key& key) const;

  EventLoop& loop_;
  watching::Informers& informers_;
  std::unique_ptr<controllers::Controller> controller_;
  watching::Actuator::Say say_;
  watching::Actuator actuator_;
  watching::AnyCache* objects_ = nullptr;  // that the keys are of: a controller subscribes to their kind first
  observe::WorkQueueMetrics::Queue* metrics_ = nullptr;
  observe::Log* log_ = nullptr;
  // Those that are queued, busy, or have something to remember.
  std::unordered_map<watching::ObjectKey, Ptr, watching::ObjectKeyHash> keys_;
  std::deque<Ptr> turns_;
  std::map<std::string, std::multimap<std::uint64_t, Ptr>, std::less<>> awaiting_;  // revisions of resources
  std::vector<Ptr> acted_;  // those whose count of acts has not come down to 0 yet
  std::vector<Ptr> held_;   // queued, but they have acted too often
  std::unique_ptr<EventLoop::Timer> tick_;
  std::size_t busy_ = 0;
  bool is_started_ = false;
  bool is_posted_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // posted tasks look at it
};

}  // namespace loadline::control

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "brain/decision/why_text.h"
#include "brain/engine/admitted_room.h"
#include "brain/engine/dispatcher.h"
#include "brain/placement/extensions.h"
#include "foundation/base/event_loop.h"
#include "foundation/base/result.h"
#include "hosts/scheduler/configured_profiles.h"
#include "hosts/scheduler/group_conditions.h"
#include "hosts/scheduler/group_statuses.h"
#include "hosts/scheduler/live_cluster_model.h"
#include "hosts/scheduler/live_reservations.h"
#include "hosts/scheduler/policy_in_force.h"
#include "hosts/scheduler/queues/live_queues.h"
#include "hosts/scheduler/replaced_claims.h"
#include "hosts/scheduler/scheduler_meter.h"
#include "hosts/scheduler/scheduling_actions.h"
#include "hosts/scheduler/volume_binder.h"
#include "hosts/watching/actuator.h"
#include "objects/kube/config/configuration_scope.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::scheduler {

/// What a host's user asked of the scheduler.
struct SchedulingOptions {
  kube::SchedulerConfiguration configuration;
  std::optional<engine::Policy> policy = {};  ///< goes before that of the cluster, see PolicyInForce
  placement::Extensions extensions = {};      ///< of which plugins and extenders count
  kube::ConfigurationScope scope = {};        ///< what ConfigMaps may configure
  bool has_kueue = true;                      ///< Kueue's queues are this scheduler's matter, if there are any
};

/// The scheduler of a live cluster: takes turns as long as pods wait, and carries out what they decided. The model runs
/// ahead of the API server: a pod counts as placed as soon as that is decided, and is taken back if its binding is
/// refused. All decisions are made by placement.
class Scheduling {
 public:
  /// ConfigMaps may add profiles, see ConfiguredProfiles. Errors: the configuration is inconsistent. Everything that is
  /// named outlives it.
  static Result<std::unique_ptr<Scheduling>> make(EventLoop& loop, watching::Subscriptions& subscriptions,
                                                  kube::Client& client, watching::Actuator::Say say,
                                                  SchedulingOptions options);
  Scheduling(const Scheduling&) = delete;
  Scheduling& operator=(const Scheduling&) = delete;

  /// The caches are full: from now on pods get nodes.
  void start();
  /// Something changed: there may be turns to take.
  void wake();
  /// The meter that hears of every turn; null, as at first: none. It outlives the scheduling.
  void set_meter(SchedulerMeter* meter) { meter_ = meter; }
  [[nodiscard]] bool is_idle() const {
    return !dispatcher_ ||
           (!dispatcher_->has_next() && open_ == 0 && reservations_.is_idle() && (!queues_ || queues_->is_idle()));
  }
  [[nodiscard]] LiveClusterModel& model() { return model_; }
  /// Null: it has none to do with.
  [[nodiscard]] const queues::LiveQueues* queues() const { return queues_ ? &*queues_ : nullptr; }
  /// Tells of every decision before it is acted upon.
  void when_taken(std::function<void(const decision::PodTurn&)> tell) { tell_ = std::move(tell); }
  /// Likewise of every round of Kueue's queues.
  void when_round_decided(queues::LiveQueues::TellRound tell) {
    if (queues_) queues_->when_decided(std::move(tell));
  }

 private:
  Scheduling(EventLoop& loop, watching::Subscriptions& subscriptions, kube::Client& client, watching::Actuator::Say say,
             std::optional<engine::Policy> policy, kube::ConfigurationScope scope);
  void obey(const engine::Policy& policy);
  void open_room_for_queues();
  [[nodiscard]] const kube::OwnerReference* controller_of(const kube::KueueWorkload& workload) const;
  void obey_in_queues(const engine::Policy& policy);
  void work();
  void take_turn(const decision::Unit& unit, decision::Turn& turn);
  void set_aside(const std::vector<cluster::PodId>& pods, std::string_view why);
  void act(const decision::Turn& turn);
  void act(const decision::PodTurn& turn);
  void act_on_room(const decision::PodTurn& turn);
  [[nodiscard]] std::vector<watching::Action> withdrawals(const decision::PodTurn& turn);
  void make_room(const decision::PodTurn& turn);
  [[nodiscard]] decision::EvictionFacts facts_of(cluster::PodId pod, const decision::Eviction& eviction);
  /// A binding under way.
  struct Binding {
    watching::ObjectKey key;
    std::uint64_t attempt = 0;  ///< see decision::Claims
    watching::Action action;
    bool may_be_done = false;  ///< an attempt before this one has no answer that one could rely on
  };
  void bind(TrackedPod& pod, const decision::PodTurn& turn);
  [[nodiscard]] TrackedPod* assumed(const Binding& binding);
  void attempt(Binding binding);
  void on_bound(Binding binding, const watching::ReconciliationResult& outcome);
  void give_up(TrackedPod& pod, const std::string& message);
  void rest(TrackedPod& pod, Duration span);
  void refuse(TrackedPod& pod, const decision::PodTurn& turn);
  /// How a pod is made to leave.
  struct Departure {
    watching::ObjectKey key;
    std::string uid;
    std::vector<std::vector<watching::Action>> steps;
  };
  void evict(cluster::PodId pod, const decision::EvictionFacts& facts);
  void carry_out(const Departure& departure);
  void wait_for_deadline();
  void elapse();
  void give_back(const engine::Overdue& overdue);
  void tell_kept(const decision::Eviction& kept);
  void retry_later(const watching::ObjectKey& key, Duration delay, EventLoop::Task task);

  EventLoop& loop_;
  watching::Actuator::Say say_;
  std::function<void(const decision::PodTurn&)> tell_;
  watching::Caches& caches_;
  watching::Actuator actuator_;
  LiveClusterModel model_;
  decision::WhyWords words_{model_.cluster()};
  GroupConditions groups_;
  GroupStatuses group_statuses_;
  VolumeBinder volumes_;
  ReplacedClaims replaced_claims_;
  LiveReservations reservations_;
  ConfiguredProfiles profiles_;
  PolicyInForce policy_;
  std::optional<engine::AdmittedRoom> admitted_room_;
  std::optional<queues::LiveQueues> queues_;
  std::optional<engine::Dispatcher> dispatcher_;
  SchedulerMeter* meter_ = nullptr;
  std::size_t open_ = 0;  // bindings without an answer
  bool is_started_ = false;
  bool is_posted_ = false;
  using Timers = std::map<watching::ObjectKey, std::unique_ptr<EventLoop::Timer>>;
  Timers retries_;                             // of bindings and turns, by pod
  std::map<watching::ObjectKey, int> failed_;  // how often turns of a pod have thrown
  Timers evictions_;                           // that failed, by pod
  std::optional<Instant> deadline_;            // that the timer waits for
  std::unique_ptr<EventLoop::Timer> deadline_timer_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // posted tasks look at it
};

}  // namespace loadline::scheduler

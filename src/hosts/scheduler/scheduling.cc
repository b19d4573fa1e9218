#include "hosts/scheduler/scheduling.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include "brain/engine/registry.h"
#include "foundation/base/contract.h"
#include "hosts/scheduler/group_events.h"
#include "hosts/scheduler/scheduling_actions.h"

namespace loadline::scheduler {

using cluster::NodeId;
using cluster::PodId;
using watching::ObjectKey;

namespace {

/// The slice of a task: turns of so many pods, those of a group counted each. Then other tasks are served: requests,
/// watches, leases. It is no span of time, so that a recording is decided again in the same slices.
constexpr std::size_t kPodsPerTask = 64;
constexpr Duration kRetry = Duration::seconds(1);
/// After an error that is not about the cluster, as of an extender: podMaxBackoffSeconds.
constexpr Duration kRetryAfterError = Duration::seconds(10);
/// So many ids of pods that are gone and of unused shapes may wait to be reclaimed.
constexpr std::size_t kLeastReclaimable = 256;

/// The API server may have done what it was asked for, whatever it says.
bool is_uncertain(const kube::Status& status) { return status.code >= 500 || status.code == 0; }

/// What extensions may see of nodes.
class ModelNodes final : public placement::NodeObjects {
 public:
  explicit ModelNodes(const cluster::Cluster& cluster) : cluster_(cluster) {}
  [[nodiscard]] const kube::Node& at(NodeId node) const override {
    REQUIRES(cluster_.is_node(node));
    return cluster_.node_object(node);
  }

 private:
  const cluster::Cluster& cluster_;
};

}  // namespace

Result<std::unique_ptr<Scheduling>> Scheduling::make(EventLoop& loop, watching::Subscriptions& subscriptions,
                                                     kube::Client& client, watching::Actuator::Say say,
                                                     SchedulingOptions options) {
  std::unique_ptr<Scheduling> scheduling(
      new Scheduling(loop, subscriptions, client, std::move(say), std::move(options.policy), std::move(options.scope)));
  LiveClusterModel& model = scheduling->model_;
  placement::Extensions& extensions = options.extensions;
  extensions.pods = {std::shared_ptr<void>(), &model};  // it outlives the scheduler
  extensions.nodes = std::make_shared<ModelNodes>(model.cluster());
  Result<placement::Scheduler> scheduler = placement::Scheduler::make(
      model.cluster(), engine::registry(), options.configuration, extensions, scheduling->policy_.policy().placement);
  if (!scheduler) return tl::unexpected(scheduler.error());
  engine::Dispatcher& dispatcher = scheduling->dispatcher_.emplace(
      model.cluster(), std::move(*scheduler), engine::Refusals::kTold, decision::CarriedOut::kByHost);
  model.set_dispatcher(dispatcher);
  dispatcher.set_switches(scheduling->policy_.policy().gang);
  model.set_group_minimum(scheduling->policy_.policy().gang.minimum);
  scheduling->reservations_.set_dispatcher(dispatcher);
  if (options.has_kueue) {
    Scheduling& it = *scheduling;
    it.queues_.emplace(loop, subscriptions, it.actuator_, it.say_, model.cluster(), [&it] { it.wake(); });
    it.queues_->set_dispatcher(dispatcher);
    it.open_room_for_queues();
  }
  scheduling->profiles_.set_scheduler(dispatcher.scheduler(), std::move(options.configuration), std::move(extensions));
  return scheduling;
}

Scheduling::Scheduling(EventLoop& loop, watching::Subscriptions& subscriptions, kube::Client& client,
                       watching::Actuator::Say say, std::optional<engine::Policy> policy,
                       kube::ConfigurationScope scope)
    : loop_(loop),
      say_(std::move(say)),
      caches_(subscriptions.caches()),
      actuator_(client, say_),
      model_(subscriptions),
      groups_(loop, subscriptions, actuator_, model_.cluster()),
      group_statuses_(loop, subscriptions, actuator_, model_.cluster(),
                      [this](std::string_view name) { return dispatcher_->scheduler().profile(name) != nullptr; }),
      volumes_(loop, subscriptions, actuator_, model_.cluster()),
      replaced_claims_(loop, subscriptions, actuator_),
      reservations_(loop, subscriptions, actuator_, model_, [this] { wake(); }),
      profiles_(loop, subscriptions, say_, std::move(scope),
                [this] {
                  model_.reconsider();
                  reservations_.reconsider();
                  wake();
                }),
      policy_(loop, subscriptions, say_, std::move(policy), [this](const engine::Policy& other) { obey(other); }) {}

/// For workloads that are admitted where there are nodes for their pods.
void Scheduling::open_room_for_queues() {
  const auto find_flavor = [this](std::string_view name) -> const kube::ResourceFlavor* {
    const auto flavor = caches_.of<kube::ResourceFlavor>().find({"", std::string(name)});
    return flavor == nullptr ? nullptr : &flavor->view;
  };
  admitted_room_.emplace(
      model_.cluster(), *dispatcher_,
      engine::AdmittedRoom::Host{[this](const std::string& name) { return queues_->find_workload(name); }, find_flavor,
                                 [this](const kube::KueueWorkload& workload) { return controller_of(workload); },
                                 [this](kube::Pod& pod) { return reservations_.admit(pod); }});
  obey_in_queues(policy_.policy());
}

/// Of pods that wait for the admission; null: nothing controls them, or they come with it.
const kube::OwnerReference* Scheduling::controller_of(const kube::KueueWorkload& workload) const {
  if (workload.metadata.owner_references.empty()) return nullptr;
  const kube::OwnerReference& owner = workload.metadata.owner_references.front();
  if (owner.kind != "Pod") return nullptr;
  const auto pod = caches_.of<kube::Pod>().find({workload.metadata.namespace_, owner.name});
  return pod == nullptr ? nullptr : pod->metadata().controller();
}

void Scheduling::obey_in_queues(const engine::Policy& policy) {
  if (!queues_) return;
  const bool is_feasible = policy.queues.admission == queue::kueue::Admission::kFeasible;
  queues_->set_switches(policy.queues);
  queues_->set_room(is_feasible ? &*admitted_room_ : nullptr);
}

/// Pods that found no node under the policy before may find one now.
void Scheduling::obey(const engine::Policy& policy) {
  dispatcher_->scheduler().set_switches(policy.placement);
  dispatcher_->set_switches(policy.gang);
  model_.set_group_minimum(policy.gang.minimum);
  obey_in_queues(policy);
  dispatcher_->capacity_freed();
  wake();
}

void Scheduling::start() {
  profiles_.settle();
  policy_.settle();
  is_started_ = true;
  groups_.start();
  group_statuses_.start();
  reservations_.start();
  dispatcher_->set_now(loop_.now());
  if (queues_) queues_->start();
  wake();
}

void Scheduling::wake() {
  if (!is_started_) return;
  wait_for_deadline();
  if (is_posted_ || !dispatcher_->has_next()) return;
  is_posted_ = true;
  loop_.post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) work();
  });
}

/// What is due though nothing happens.
void Scheduling::wait_for_deadline() {
  dispatcher_->set_now(loop_.now());
  const std::optional<Instant> next = dispatcher_->next_deadline();
  if (next == deadline_) return;
  deadline_ = next;
  deadline_timer_ = next ? loop_.after(*next - loop_.now(), [this] { elapse(); }) : nullptr;
}

void Scheduling::elapse() {
  const std::unique_ptr<EventLoop::Timer> done = std::move(deadline_timer_);
  deadline_.reset();
  give_back(dispatcher_->elapse(loop_.now()));
  wake();
}

void Scheduling::work() {
  is_posted_ = false;
  decision::Turn turn;
  dispatcher_->set_now(loop_.now());
  for (std::size_t pods = 0; pods < kPodsPerTask;) {
    const std::optional<decision::Unit> unit = dispatcher_->next();
    if (!unit) break;
    pods += dispatcher_->units().pods(*unit).size();
    take_turn(*unit, turn);
  }
  // It costs what there is, so it is worth it when as much is gone.
  const cluster::Cluster& cluster = model_.cluster();
  if (cluster.reclaimable() > std::max(kLeastReclaimable, cluster.pod_count())) dispatcher_->reclaim();
  wake();
}

/// A turn that throws, as for want of memory, is that of its pods: they are set aside, and the others go on.
void Scheduling::take_turn(const decision::Unit& unit, decision::Turn& turn) {
  const std::span<const PodId> members = dispatcher_->units().pods(unit);
  const std::vector<PodId> pods(members.begin(), members.end());
  try {
    const observe::Stopwatch stopwatch;
    dispatcher_->take(unit, placement::Detail::kDecision, turn);
    const double whole = stopwatch.seconds();
    for (std::size_t i = 0; i < turn.pods.size() && tell_; ++i) tell_(turn.pods[i]);
    if (meter_ != nullptr) meter_->turn_ended(turn, whole);
    const double seconds = whole / static_cast<double>(turn.pods.size());
    for (const decision::PodTurn& pod : turn.pods) {
      if (meter_ == nullptr || model_.is_placeholder(pod.pod)) continue;
      meter_->took(model_.tracked(pod.pod), pod, seconds);
    }
    act(turn);
  } catch (const std::exception& error) {
    set_aside(pods, error.what());
  }
}

/// For 10 s, doubling each time.
void Scheduling::set_aside(const std::vector<PodId>& pods, std::string_view why) {
  constexpr int kDoublings = 7;
  for (const PodId id : pods) {
    if (model_.is_placeholder(id)) {
      // One of a group waits for the next turn with its pods, which must not start without it.
      if (!model_.cluster().pod(id).group.valid()) reservations_.set_aside(id, why);
      continue;
    }
    TrackedPod& pod = model_.tracked(id);
    say_(failed_scheduling(*pod.object, fmt::format("the scheduler failed: {}", why)));
    const int doublings = std::min(failed_[pod.object->key()]++, kDoublings);
    rest(pod, Duration{kRetryAfterError.nanoseconds << doublings});
  }
}

/// Takes back what a turn of the pod has come to; the pod waits again after the span.
void Scheduling::rest(TrackedPod& pod, Duration span) {
  model_.set_aside(pod);
  const ObjectKey key = pod.object->key();
  retry_later(key, span, [this, key] {
    if (TrackedPod* resting = model_.find(key); resting != nullptr) {
      resting->is_resting = false;
      model_.enqueue(*resting);
    } else {
      failed_.erase(key);
    }
    wake();
  });
}

void Scheduling::act(const decision::Turn& turn) {
  for (const decision::PodTurn& pod : turn.pods) act(pod);
  if (!turn.unit.is_group()) return;
  if (std::optional<watching::Event> event = event_about_group(caches_, model_.cluster(), turn)) {
    say_(*std::move(event));
  }
  group_statuses_.took(turn);
  const auto first = std::ranges::find_if_not(
      turn.pods, [this](const decision::PodTurn& pod) { return model_.is_placeholder(pod.pod); });
  if (first == turn.pods.end()) return;
  const watching::Observed<kube::Pod>& member = *model_.tracked(first->pod).object;
  if (member.view.spec->pod_group_name.empty()) return;
  groups_.took({member.metadata().namespace_, member.view.spec->pod_group_name}, turn);
}

void Scheduling::act(const decision::PodTurn& turn) {
  if (model_.is_placeholder(turn.pod)) return act_on_room(turn);
  TrackedPod& pod = model_.tracked(turn.pod);
  if (turn.node.valid()) {
    bind(pod, turn);
  } else {
    refuse(pod, turn);
  }
}

/// A placeholder is no pod that an API server knows, so nothing is bound.
void Scheduling::act_on_room(const decision::PodTurn& turn) {
  reservations_.decided(turn);
  std::vector<watching::Action> actions = withdrawals(turn);
  if (!actions.empty()) actuator_.perform({std::move(actions)}, [](const watching::ReconciliationResult&) {});
  make_room(turn);
}

void Scheduling::bind(TrackedPod& pod, const decision::PodTurn& turn) {
  const decision::Claims* claims = dispatcher_->claims_of(pod.id);
  REQUIRES(claims != nullptr);
  pod.is_waiting = false;
  pod.complaint.clear();
  if (!failed_.empty()) failed_.erase(pod.object->key());
  model_.cluster().set_started(pod.id, loop_.now());
  const std::string_view node = model_.cluster().node_name(turn.node);
  kube::StringMap annotations;
  if (turn.consumed.valid()) annotations = reservations_.consumer_annotations(turn.reservation);
  Binding binding{pod.object->key(), claims->attempt, scheduler::bind(*pod.object, node, annotations)};
  replaced_claims_.placed(*pod.object, node);
  if (turn.volumes.empty()) return attempt(std::move(binding));
  const placement::Profile& profile = *dispatcher_->scheduler().profile(pod.object->view.spec->scheduler_name);
  volumes_.bind(*pod.object, node, turn.volumes, profile.volume_bind_timeout(),
                [this, binding = std::move(binding)](const std::string& error) {
                  if (TrackedPod* assumed_pod = assumed(binding); assumed_pod == nullptr) {
                    wake();
                  } else if (error.empty()) {
                    attempt(binding);
                  } else {
                    give_up(*assumed_pod, error);
                  }
                });
}

/// The pod, unless it is another one by now, has been bound or taken back, or has another place since.
TrackedPod* Scheduling::assumed(const Binding& binding) {
  TrackedPod* pod = model_.find(binding.key);
  const decision::Claims* claims = pod == nullptr ? nullptr : dispatcher_->claims_of(pod->id);
  return claims != nullptr && claims->attempt == binding.attempt ? pod : nullptr;
}

void Scheduling::attempt(Binding binding) {
  ++open_;
  std::vector<std::vector<watching::Action>> steps = {{binding.action}};
  actuator_.perform(std::move(steps),
                    [this, binding = std::move(binding)](const watching::ReconciliationResult& outcome) {
                      --open_;
                      on_bound(binding, outcome);
                    });
}

/// A pod whose binding may have been carried out keeps its place: the binding is tried until the API server has told of
/// the pod, or refuses it definitely. Otherwise another pod would get the room.
void Scheduling::on_bound(Binding binding, const watching::ReconciliationResult& outcome) {
  if (outcome.failures.empty()) return;
  TrackedPod* pod = assumed(binding);
  if (pod == nullptr) return;
  const kube::Status& status = outcome.failures.front().status;
  binding.may_be_done = binding.may_be_done || is_uncertain(status);
  const bool may_be_bound = is_uncertain(status) || (binding.may_be_done && status.reason == "Conflict");
  if (may_be_bound && !pod->object->is_being_deleted()) {
    return retry_later(binding.key, kRetry, [this, binding] {
      if (assumed(binding) != nullptr) attempt(binding);
    });
  }
  give_up(*pod, "binding rejected: " + status.message);
}

/// What was decided cannot be carried out: the pod has no node, and waits again after a moment.
void Scheduling::give_up(TrackedPod& pod, const std::string& message) {
  say_(failed_scheduling(*pod.object, message));
  std::vector<watching::Action> actions = say_waiting(*pod.object, kSchedulerError, message, {}, loop_.now());
  if (!actions.empty()) actuator_.perform({std::move(actions)}, [](const watching::ReconciliationResult&) {});
  rest(pod, kRetry);
  wake();
}

/// Not at once: a request that was refused would be refused again, until the watch has told of what stands in its way.
void Scheduling::retry_later(const ObjectKey& key, Duration delay, EventLoop::Task task) {
  retries_[key] = loop_.after(delay, [this, key, task = std::move(task)] {
    const std::unique_ptr<EventLoop::Timer> done = std::move(retries_[key]);
    retries_.erase(key);
    task();
  });
}

void Scheduling::refuse(TrackedPod& pod, const decision::PodTurn& turn) {
  if (turn.is_error) {
    const ObjectKey key = pod.object->key();
    retry_later(key, kRetryAfterError, [this, key] {
      if (const TrackedPod* failed = model_.find(key); failed != nullptr) dispatcher_->retry(failed->id);
      wake();
    });
  }
  const Instant now = loop_.now();
  const cluster::Cluster& cluster = model_.cluster();
  const std::string_view nominated = turn.nominated.valid() ? cluster.node_name(turn.nominated) : std::string_view();
  const std::string& message = words_.of(turn.why).text;
  // For a pod that waits long, the same event would be written a thousand times.
  if (pod.complaint != message) {
    pod.complaint = message;
    say_(failed_scheduling(*pod.object, message));
  }
  const std::string_view reason = turn.is_error ? kSchedulerError : kUnschedulable;
  std::vector<watching::Action> actions = say_waiting(*pod.object, reason, message, nominated, now);
  for (watching::Action& withdrawal : withdrawals(turn)) actions.push_back(std::move(withdrawal));
  if (!actions.empty()) actuator_.perform({std::move(actions)}, [](const watching::ReconciliationResult&) {});
  make_room(turn);
}

/// Pods that are nominated no more have to be told; no API server knows of a placeholder's nomination.
std::vector<watching::Action> Scheduling::withdrawals(const decision::PodTurn& turn) {
  std::vector<watching::Action> actions;
  for (const PodId pod : turn.denominated) {
    if (!model_.is_placeholder(pod)) actions.push_back(withdraw_nomination(*model_.tracked(pod).object));
  }
  return actions;
}

void Scheduling::make_room(const decision::PodTurn& turn) {
  for (const PodId victim : turn.victims) {
    decision::EvictionFacts facts = facts_of(victim, *dispatcher_->evictions().of(victim));
    facts.scheduler = model_.at(turn.pod).spec->scheduler_name;
    evict(victim, facts);
  }
}

/// For whom it is, as kube-scheduler's events name that: by uid.
decision::EvictionFacts Scheduling::facts_of(PodId pod, const decision::Eviction& eviction) {
  decision::EvictionFacts facts = decision::facts_of(eviction, pod, model_.cluster());
  const decision::Unit& whom = eviction.for_whom;
  if (whom.is_group()) {
    facts.by = "podgroup " + model_.cluster().group(whom.group).uid;
  } else if (whom.pod.valid()) {
    const bool is_room = model_.is_placeholder(whom.pod);
    facts.by = is_room ? reservations_.name_of(whom.pod) : "pod " + model_.at(whom.pod).metadata.uid;
  }
  return facts;
}

/// What was decided for a group could not be carried out whole, and the rest has found no room since.
void Scheduling::give_back(const engine::Overdue& overdue) {
  for (const decision::Eviction& release : overdue.releases) {
    for (const PodId pod : release.pods) evict(pod, facts_of(pod, release));
  }
  for (const decision::Eviction& kept : overdue.kept_in_vain) tell_kept(kept);
}

/// Pods that hold room which their workload cannot use, and that the policy keeps where they are.
void Scheduling::tell_kept(const decision::Eviction& kept) {
  const std::string why = decision::release_text(kept, model_.cluster());
  for (const PodId pod : kept.pods) say_(scheduler::holds_room(*model_.tracked(pod).object, why));
}

void Scheduling::evict(PodId pod, const decision::EvictionFacts& facts) {
  dispatcher_->leaving(pod);
  const watching::Observed<kube::Pod>& leaving = *model_.tracked(pod).object;
  carry_out({leaving.key(), leaving.metadata().uid, scheduler::evict(leaving, facts, loop_.now())});
}

/// The model takes it for granted that the pod leaves, so its eviction is tried until it succeeds, or is under way.
void Scheduling::carry_out(const Departure& departure) {
  actuator_.perform(departure.steps, [this, departure](const watching::ReconciliationResult& outcome) {
    if (outcome.failures.empty()) return;
    evictions_[departure.key] = loop_.after(kRetry, [this, departure] {
      const auto done = evictions_.extract(departure.key);
      const TrackedPod* pod = model_.find(departure.key);
      if (pod == nullptr || pod->object->metadata().uid != departure.uid || pod->object->is_being_deleted()) return;
      carry_out(departure);
    });
  });
}

}  // namespace loadline::scheduler

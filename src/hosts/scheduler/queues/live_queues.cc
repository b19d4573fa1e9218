#include "hosts/scheduler/queues/live_queues.h"

#include <algorithm>
#include <utility>

#include "hosts/scheduler/queues/round_deeds.h"
#include "hosts/scheduler/queues/workload_digest.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/kueue/workload_conditions.h"

namespace loadline::scheduler::queues {

using queue::kueue::Settings;
using watching::Change;
using watching::Keys;

namespace {

/// So long a workload does not ask for quota whose reservation the API server refused.
constexpr Duration kRest = Duration::seconds(1);

/// A version with the spec of the one before: only its status is another. As a server counts them.
template <class Kind>
bool has_same_spec(const Change<Kind>& change) {
  return change.before != nullptr && change.after != nullptr && change.after->metadata().generation != 0 &&
         change.before->metadata().generation == change.after->metadata().generation &&
         change.before->is_being_deleted() == change.after->is_being_deleted();
}

template <class Kind, class Visit>
void for_each_object(const watching::Caches& caches, const Visit& visit) {
  for (const auto& [name_space, named] : caches.of<Kind>().namespaces()) {
    for (const auto& [name, object] : named) visit(*object);
  }
}

}  // namespace

LiveQueues::LiveQueues(EventLoop& loop, watching::Subscriptions& subscriptions, watching::Actuator& actuator,
                       watching::Actuator::Say say, cluster::Cluster& model, std::function<void()> wake)
    : loop_(loop),
      caches_(subscriptions.caches()),
      model_(model),
      wake_(std::move(wake)),
      say_(say),
      writer_(loop, subscriptions.caches(), actuator, std::move(say),
              [this](const Key& key, bool is_refused) { gave_up(key, is_refused); }),
      statuses_(loop, subscriptions.caches(), actuator, books_) {
  listen(subscriptions);
}

LiveQueues::~LiveQueues() = default;

// ---- objects -------------------------------------------------------------------------------------------------------

/// Registers for changes of a kind that concern the line once it is there.
template <class Kind, class Take>
void LiveQueues::follow(watching::Subscriptions& subscriptions, Take take) {
  subscriptions.on<Kind>([this, take](const Change<Kind>& change, Keys&) {
    if (!line_) return begin_if_needed();
    take(change);
    statuses_.look_later();
  });
}

void LiveQueues::listen(watching::Subscriptions& subscriptions) {
  follow<kube::ResourceFlavor>(subscriptions, [this](const Change<kube::ResourceFlavor>& change) {
    if (change.after == nullptr) {
      kueue().remove_flavor(change.last().key().name, loop_.now());
    } else if (!has_same_spec(change)) {
      kueue().set(change.after->view, loop_.now());
    }
    statuses_.touch_all();
  });
  follow<kube::AdmissionCheck>(subscriptions, [this](const Change<kube::AdmissionCheck>& change) {
    if (change.after == nullptr) {
      kueue().remove_check(change.last().key().name, loop_.now());
    } else {
      kueue().set(change.after->view, loop_.now());
    }
    statuses_.touch_all();
  });
  follow<kube::Cohort>(subscriptions, [this](const Change<kube::Cohort>& change) {
    if (has_same_spec(change)) return;
    if (change.after == nullptr) {
      kueue().remove_cohort(change.last().key().name, loop_.now());
    } else {
      kueue().set(change.after->view, loop_.now());
    }
    statuses_.touch_all();
  });
  follow<kube::ClusterQueue>(subscriptions,
                             [this](const Change<kube::ClusterQueue>& change) { on_cluster_queue(change); });
  follow<kube::LocalQueue>(subscriptions, [this](const Change<kube::LocalQueue>& change) { on_local_queue(change); });
  follow<kube::Namespace>(subscriptions, [this](const Change<kube::Namespace>& change) {
    if (change.after == nullptr) return;
    const kube::StringMap& labels = change.after->metadata().labels;
    if (change.before != nullptr && change.before->metadata().labels == labels) return;
    kueue().set_namespace(change.after->metadata().name, labels, loop_.now());
  });
  follow<kube::KueueWorkload>(subscriptions,
                              [this](const Change<kube::KueueWorkload>& change) { on_workload(change); });
  follow<kube::LimitRange>(subscriptions, [this](const Change<kube::LimitRange>& change) {
    on_pod_defaults(change.last().key().name_space);
  });
  follow<kube::RuntimeClass>(subscriptions,
                             [this](const Change<kube::RuntimeClass>&) { on_pod_defaults(std::nullopt); });
  follow<kube::ConfigMap>(subscriptions, [this](const Change<kube::ConfigMap>& change) {
    if (watching::ClustersKueueConfiguration::is_concerned_by(change)) on_configuration();
  });
}

void LiveQueues::on_cluster_queue(const Change<kube::ClusterQueue>& change) {
  if (has_same_spec(change)) return;
  const std::string name = change.last().key().name;
  if (change.after == nullptr) {
    kueue().remove_queue(name);
  } else {
    kueue().set(change.after->view, loop_.now());
  }
  if (change.before == nullptr || change.after == nullptr) tell_admitted_in(name);
  statuses_.touch_all();
}

void LiveQueues::on_local_queue(const Change<kube::LocalQueue>& change) {
  if (has_same_spec(change)) return;
  const Key key = change.last().key();
  if (change.after == nullptr) {
    kueue().remove_local_queue(key.name_space, key.name);
  } else {
    kueue().set(change.after->view);
  }
  books_.touch_local_queue(key);
  for (const auto& version : {change.before, change.after}) {
    if (version != nullptr) books_.touch_cluster_queue(version->view.cluster_queue);
  }
}

void LiveQueues::on_workload(const Change<kube::KueueWorkload>& change) {
  const Key key = change.last().key();
  writer_.changed(key, change.after.get());
  if (change.after == nullptr) {
    forget(key);
  } else {
    tell(*change.after);
  }
}

/// What pods of a namespace, or of all, ask for may be something else now, as far as they have no quota.
void LiveQueues::on_pod_defaults(const std::optional<std::string>& name_space) {
  if (name_space) {
    defaults_.erase(*name_space);
  } else {
    defaults_.clear();
  }
  std::vector<Key> concerned;
  const auto from = name_space ? told_.lower_bound({*name_space, ""}) : told_.begin();
  for (auto at = from; at != told_.end() && (!name_space || at->first.name_space == *name_space); ++at) {
    at->second.adjusted.clear();
    at->second.digest.clear();
    if (at->second.admitted_in.empty()) concerned.push_back(at->first);
  }
  for (const Key& key : concerned) tell(key);
}

/// All is made anew, in a task of its own: changes of several ConfigMaps count as one.
void LiveQueues::on_configuration() {
  if (std::exchange(is_configuration_changed_, true)) return;
  loop_.post([this, alive = std::weak_ptr<int>(alive_)] {
    if (alive.expired()) return;
    is_configuration_changed_ = false;
    const std::string before = configuration_.version();
    read_configuration();
    if (configuration_.version() == before) return;
    begin();
    wake_();
  });
}

void LiveQueues::read_configuration() {
  configuration_.read(caches_);
  for (const auto& [config_map, problem] : configuration_.take_problems()) {
    say_({watching::reference_to(*config_map), watching::Event::Type::kWarning, "InvalidKueueConfiguration", problem});
  }
}

// ---- beginning -----------------------------------------------------------------------------------------------------

void LiveQueues::set_dispatcher(engine::Dispatcher& dispatcher) {
  dispatcher_ = &dispatcher;
  dispatcher.attach(*this);
}

void LiveQueues::set_room(queue::kueue::Room* room) {
  room_ = room;
  if (line_) kueue().set_room(room, loop_.now());
}

const kube::KueueWorkload* LiveQueues::find_workload(const std::string& name) {
  const std::size_t slash = name.find('/');
  const Key key{name.substr(0, slash), name.substr(slash + 1)};
  const auto object = caches_.of<kube::KueueWorkload>().find(key);
  if (object == nullptr) return nullptr;
  found_ = writer_.as_decided(*object);
  adjust(found_, told_[key]);
  return &found_;
}

void LiveQueues::set_switches(const queue::kueue::Switches& switches) {
  switches_ = switches;
  if (line_) kueue().set_switches(switches_, loop_.now());
}

void LiveQueues::start() {
  is_started_ = true;
  begin_if_needed();
}

bool LiveQueues::has_queues() const {
  return caches_.of<kube::ClusterQueue>().size() > 0 || caches_.of<kube::LocalQueue>().size() > 0 ||
         caches_.of<kube::Cohort>().size() > 0;
}

void LiveQueues::begin_if_needed() {
  if (!is_started_ || line_ || !has_queues()) return;
  read_configuration();
  begin();
}

/// Anew, by the configuration as it is now, of what the caches hold and what was decided.
void LiveQueues::begin() {
  if (line_) {
    for (const auto& [key, told] : told_) line_->remove(key.name_space, key.name, loop_.now());
    line_.reset();
  }
  told_.clear();
  admitted_in_.clear();
  unready_.clear();
  defaults_.clear();
  books_.clear();
  const kube::KueueConfiguration& configuration = configuration_.read(caches_);
  line_.emplace(model_, dispatcher_->workloads(), Settings::of(configuration), configuration.resources);
  kueue().set_room(room_, loop_.now());
  kueue().set_switches(switches_, loop_.now());
  kueue().tell_attempts(true);
  fill();
  statuses_.start(kueue());
}

void LiveQueues::fill() {
  const Instant now = loop_.now();
  for_each_object<kube::ResourceFlavor>(caches_, [&](const auto& object) { kueue().set(object.view, now); });
  for_each_object<kube::AdmissionCheck>(caches_, [&](const auto& object) { kueue().set(object.view, now); });
  for_each_object<kube::Cohort>(caches_, [&](const auto& object) { kueue().set(object.view, now); });
  for_each_object<kube::ClusterQueue>(caches_, [&](const auto& object) { kueue().set(object.view, now); });
  for_each_object<kube::LocalQueue>(caches_, [&](const auto& object) { kueue().set(object.view); });
  for_each_object<kube::Namespace>(caches_, [&](const auto& object) {
    kueue().set_namespace(object.metadata().name, object.metadata().labels, now);
  });
  for_each_object<kube::KueueWorkload>(caches_, [&](const auto& object) { tell(object); });
}

// ---- workloads -----------------------------------------------------------------------------------------------------

void LiveQueues::tell(const Key& key) {
  const auto object = caches_.of<kube::KueueWorkload>().find(key);
  if (object != nullptr) tell(*object);
}

/// The line knows a workload as it will be once all that was decided is written.
void LiveQueues::tell(const watching::Observed<kube::KueueWorkload>& object) {
  const Key key = object.key();
  const Instant now = loop_.now();
  kube::KueueWorkload decided = writer_.as_decided(object);
  Told& told = told_[key];
  if (told.rests_until && *told.rests_until <= now) told.rests_until.reset();
  if (told.rests_until) kube::postpone(decided, *told.rests_until);
  std::string digest = digest_of(decided);
  if (told.digest == digest) return;
  told.digest = std::move(digest);
  adjust(decided, told);
  line_->set(decided, now);
  books_.put(key, {key.name_space, decided.queue_name}, kueue(), kube::is_admitted(decided));
  const std::string admitted_in = decided.status.admission ? decided.status.admission->cluster_queue : std::string();
  if (admitted_in != told.admitted_in) {
    if (!told.admitted_in.empty()) admitted_in_[told.admitted_in].erase(key);
    if (!admitted_in.empty()) admitted_in_[admitted_in].insert(key);
    told.admitted_in = admitted_in;
  }
  const bool is_unready = kueue().settings().blocks_admission && kube::is_admitted(decided) &&
                          !kube::is_finished(decided) &&
                          !kube::has_true_condition(decided.status.conditions, "PodsReady");
  if (is_unready) {
    unready_.insert(key);
  } else {
    unready_.erase(key);
  }
}

/// A ClusterQueue came or went, in which they are admitted.
void LiveQueues::tell_admitted_in(const std::string& cluster_queue) {
  const auto found = admitted_in_.find(cluster_queue);
  if (found == admitted_in_.end()) return;
  for (const Key& key : std::set<Key>(found->second)) {
    told_[key].digest.clear();
    tell(key);
  }
}

void LiveQueues::forget(const Key& key) {
  const auto found = told_.find(key);
  if (found == told_.end()) return;
  if (!found->second.admitted_in.empty()) admitted_in_[found->second.admitted_in].erase(key);
  told_.erase(found);
  unready_.erase(key);
  line_->remove(key.name_space, key.name, loop_.now());
  books_.remove(key);
}

void LiveQueues::gave_up(const Key& key, bool is_refused) {
  if (!line_) return;
  Told& told = told_[key];
  if (is_refused) told.rests_until = loop_.now() + kRest;
  told.digest.clear();
  tell(key);
  statuses_.look_later();
  wake_();
}

void LiveQueues::adjust(kube::KueueWorkload& workload, Told& told) {
  const bool is_same = told.uid == workload.metadata.uid && told.generation == workload.metadata.generation;
  if (!is_same || told.adjusted.empty()) {
    told.uid = workload.metadata.uid;
    told.generation = workload.metadata.generation;
    told.adjusted = workload.pod_sets;
    const queue::kueue::PodDefaults& defaults = defaults_in(workload.metadata.namespace_);
    for (kube::PodSet& set : told.adjusted) {
      const auto runtime = caches_.of<kube::RuntimeClass>().find("", set.template_.spec->runtime_class_name);
      set.template_.spec =
          queue::kueue::adjusted(set.template_.spec, defaults, runtime == nullptr ? nullptr : &runtime->view);
    }
  }
  workload.pod_sets = told.adjusted;
}

const queue::kueue::PodDefaults& LiveQueues::defaults_in(const std::string& name_space) {
  const auto [place, is_new] = defaults_.try_emplace(name_space);
  if (is_new) {
    std::vector<const kube::LimitRange*> ranges;
    for (const auto& [name, range] : caches_.of<kube::LimitRange>().in(name_space)) ranges.push_back(&range->view);
    place->second = queue::kueue::defaults_of(ranges);
    kueue().set_pod_bounds(name_space, queue::kueue::bounds_of(ranges));
  }
  return place->second;
}

std::vector<observe::ClusterQueueFigures> LiveQueues::figures() const {
  std::vector<observe::ClusterQueueFigures> all;
  if (!line_) return all;
  const queue::kueue::KueueScheduler& kueue = line_->scheduler();
  for_each_object<kube::ClusterQueue>(caches_, [&](const auto& object) {
    const std::string& name = object.metadata().name;
    const queue::kueue::QueueId id = kueue.queues().find(name);
    if (!id.valid()) return;
    const QueueSums& sums = books_.of_cluster_queue(name);
    all.push_back({name, kueue.queues().is_active(id), object.is_being_deleted(),
                   static_cast<std::int64_t>(kueue.pending().ready_count(id)),
                   static_cast<std::int64_t>(kueue.pending().inadmissible_count(id)), sums.reserving, sums.admitted});
  });
  return all;
}

std::optional<std::vector<watching::ObjectPtr<kube::KueueWorkload>>> LiveQueues::waiting_in(
    const std::string& cluster_queue) const {
  const queue::kueue::QueueId id = line_ ? line_->scheduler().queues().find(cluster_queue) : queue::kueue::QueueId();
  if (!id.valid()) return std::nullopt;
  const queue::kueue::KueueScheduler& kueue = line_->scheduler();
  std::vector<watching::ObjectPtr<kube::KueueWorkload>> waiting;
  for (const queue::kueue::WorkloadId each : kueue.pending().in_order(id)) {
    const std::string& name = kueue.workloads().at(each).name;
    const std::size_t slash = name.find('/');
    auto object = caches_.of<kube::KueueWorkload>().find(name.substr(0, slash), name.substr(slash + 1));
    if (object != nullptr) waiting.push_back(std::move(object));
  }
  return waiting;
}

// ---- rounds --------------------------------------------------------------------------------------------------------

bool LiveQueues::is_due(Instant now) const { return line_ && unready_.empty() && line_->is_due(now); }

std::optional<Instant> LiveQueues::due_at() const { return line_ && unready_.empty() ? line_->due_at() : std::nullopt; }

void LiveQueues::decide_round(decision::Doors& doors, Instant now) {
  line_->decide_round(doors, now);
  for (const queue::kueue::Round& round : line_->take_rounds()) {
    if (tell_) tell_(round, kueue());
    carry_out(round, now);
  }
  statuses_.look_later();
}

void LiveQueues::carry_out(const queue::kueue::Round& round, Instant now) {
  std::vector<Key> concerned;
  for (auto& [key, deed] : deeds_of(kueue(), round, caches_, now)) {
    writer_.want(key, std::move(deed));
    concerned.push_back(key);
  }
  for (const Key& key : concerned) tell(key);
}

}  // namespace loadline::scheduler::queues

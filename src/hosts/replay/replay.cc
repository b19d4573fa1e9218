#include "hosts/replay/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "brain/engine/admitted_room.h"
#include "brain/engine/dispatcher.h"
#include "brain/engine/registry.h"
#include "brain/gang/group_standing.h"
#include "hosts/replay/calendar.h"
#include "hosts/replay/live_works.h"
#include "hosts/replay/measures.h"
#include "hosts/replay/queued_works.h"
#include "hosts/simulator/intake.h"
#include "hosts/simulator/queue_objects.h"
#include "objects/kube/defaults.h"

namespace loadline::replay {

using cluster::PodId;
using Slot = LiveWorks::Slot;

namespace {

/// So many ids of pods that are gone and of unused shapes may wait to be reclaimed.
constexpr std::size_t kReclaimable = 20'000;
constexpr std::size_t kProgressStep = 1024;

/// Names of works need not be names of objects.
std::string group_name(const LiveWork& live) { return fmt::format("work-{}", live.serial); }

/// A replay under way.
class Replay {
 public:
  /// `queues`: those that decide about works; null: none do.
  Replay(cluster::Cluster& cluster, placement::Scheduler scheduler, trace::WorkSource& source,
         const ReplayOptions& options, Observer& observer, QueuedWorks* queues)
      : cluster_(cluster),
        dispatcher_(cluster, std::move(scheduler), engine::Refusals::kUntold),
        source_(source),
        options_(options),
        observer_(observer),
        measures_(cluster),
        queues_(queues) {
    dispatcher_.set_switches(options.policy.gang);
    open_room_for_queues();
  }

  Result<Summary> run();

 private:
  // ---- time
  Result<void> read_next();
  [[nodiscard]] std::optional<Duration> next_time() const;
  void take_samples(Duration until);
  void carry_out(const Due& due);
  Result<void> let_arrive();
  void work_off_queue();
  void note_promises();
  void note_deadline();
  void elapse();
  Summary conclude();

  // ---- works
  void arrive(trace::Work work);
  void describe_pods(LiveWork& live);
  void open_room_for_queues();
  void follow_queues();
  void let_start(Slot slot);
  void stop(Slot slot);
  void queue_again(Slot slot);
  void start(Slot slot);
  void end(Slot slot);
  void end_pod(Slot slot, std::size_t pod);
  void delete_work(Slot slot);
  void leave(Slot slot, WorkEnd end);
  [[nodiscard]] WorkTimes times_of(const LiveWork& live, WorkEnd end) const;

  // ---- pods
  void create(Slot slot, std::size_t pod);
  void act(const decision::PodTurn& turn);
  void placed(Slot slot, std::size_t pod, cluster::NodeId node);
  void evict(PodId victim);
  void gone(Slot slot, std::size_t pod);
  void remove(LiveWork& live, LivePod& pod, bool is_lost);
  void count_time(LivePod& pod, bool is_lost);
  void tell(EventKind kind, const LiveWork& live, std::size_t pod = 0, std::string_view node = {}) {
    observer_.happened({now_, kind, &live.work, pod, node});
  }
  [[nodiscard]] std::int64_t gpus_of(PodId pod) const { return measures_.gpus().requested(cluster_.shape_of(pod)); }

  cluster::Cluster& cluster_;
  engine::Dispatcher dispatcher_;
  trace::WorkSource& source_;
  const ReplayOptions& options_;
  Observer& observer_;
  Measures measures_;
  QueuedWorks* queues_;
  std::optional<engine::AdmittedRoom> room_;
  std::size_t without_queue_ = 0;
  LiveWorks works_;
  Calendar calendar_;
  decision::Turn turn_;  // the last one; its memory is used again
  std::optional<trace::Work> next_;
  Duration now_;
  Duration next_sample_;
  std::optional<Duration> next_deadline_;  // in the calendar
  std::size_t decisions_ = 0;
};

// ---- time -----------------------------------------------------------------------------------------------------------

Result<Summary> Replay::run() {
  dispatcher_.set_now(options_.start);
  if (Result<void> read = read_next(); !read) return tl::unexpected(read.error());
  while (const std::optional<Duration> next = next_time()) {
    if (options_.until && *next > *options_.until) {
      take_samples(*options_.until);
      measures_.pass(*options_.until);
      now_ = *options_.until;
      return conclude();
    }
    take_samples(*next - Duration{1});
    measures_.pass(*next);
    now_ = *next;
    while (const std::optional<Due> due = calendar_.take(now_)) carry_out(*due);
    const bool arrives = next_ && next_->arrives <= now_;
    if (Result<void> arrived = let_arrive(); !arrived) return tl::unexpected(arrived.error());
    work_off_queue();
    if (arrives) measures_.arrival_settled();
    note_deadline();
    if (cluster_.reclaimable() > kReclaimable) dispatcher_.reclaim();
  }
  take_samples(now_);
  return conclude();
}

Result<void> Replay::read_next() {
  Result<std::optional<trace::Work>> read = source_.next();
  if (!read) return tl::unexpected(read.error());
  next_ = *std::move(read);
  return {};
}

std::optional<Duration> Replay::next_time() const {
  const std::optional<Duration> due = calendar_.next();
  if (!next_) return due;
  return due ? std::min(*due, next_->arrives) : next_->arrives;
}

/// Those up to `until`, of the state as it is.
void Replay::take_samples(Duration until) {
  for (; next_sample_ <= until; next_sample_ = next_sample_ + options_.sample_every) {
    Sample sample = measures_.sample(next_sample_);
    if (queues_ != nullptr) sample.queues = queues_->measures().sample();
    observer_.sampled(sample);
  }
}

void Replay::carry_out(const Due& due) {
  if (due.kind == DueKind::kDeadline) return elapse();
  const LiveWork* live = works_.find(due.slot, due.serial);
  if (live == nullptr) return;
  switch (due.kind) {
    case DueKind::kPodGone:
      return gone(due.slot, due.pod);
    case DueKind::kPodEnds:
      if (live->pods[due.pod].run == due.run) end_pod(due.slot, due.pod);
      return;
    case DueKind::kWorkEnds:
      if (live->run == due.run) end(due.slot);
      return;
    case DueKind::kDeleted:
      return delete_work(due.slot);
    case DueKind::kDeadline:
      return;
  }
}

Result<void> Replay::let_arrive() {
  while (next_ && next_->arrives <= now_) {
    arrive(*std::move(next_));
    if (Result<void> read = read_next(); !read) return read;
    if (options_.progress && works_.arrived() % kProgressStep == 0) options_.progress(works_.arrived());
  }
  return {};
}

void Replay::work_off_queue() {
  dispatcher_.set_now(options_.start + now_);
  follow_queues();
  while (const std::optional<decision::Unit> unit = dispatcher_.next()) {
    dispatcher_.set_now(options_.start + now_);
    dispatcher_.take(*unit, placement::Detail::kDecision, turn_);
    decisions_ += turn_.pods.size();
    for (const decision::PodTurn& turn : turn_.pods) act(turn);
    if (unit->is_group()) gang::note_start(cluster_, unit->group);
  }
  note_promises();
}

/// The first planned start of each gang is what it was promised.
void Replay::note_promises() {
  for (const auto& [unit, start] : dispatcher_.promises().all()) {
    if (!unit.is_group()) continue;  // those of single pods are for the sake of groups, and end with these
    LiveWork& live = works_.at(works_.place_of(start->places.front().pod).slot);
    if (!live.has_started && !live.promised) live.promised = start->at - options_.start;
  }
}

/// What is due though nothing happens is in the calendar: the pods that a planned start waits for may not end, and
/// queues look anew at what did not fit some time after something was given back.
void Replay::note_deadline() {
  std::optional<Instant> deadline = dispatcher_.next_deadline();
  const std::optional<Instant> round = queues_ != nullptr && works_.size() > 0 ? queues_->due_at() : std::nullopt;
  if (round && (!deadline || *round < *deadline)) deadline = round;
  const std::optional<Duration> next = deadline ? std::optional(*deadline - options_.start) : std::nullopt;
  if (next && next != next_deadline_) calendar_.add({*next, DueKind::kDeadline});
  next_deadline_ = next;
}

void Replay::elapse() {
  for (const decision::Eviction& release : dispatcher_.elapse(options_.start + now_).releases) {
    for (const PodId pod : release.pods) evict(pod);
  }
}

Summary Replay::conclude() {
  for (const Slot slot : works_.in_order()) {
    LiveWork& live = works_.at(slot);
    const bool waits_for_others = live.work.is_gang && !live.is_whole();
    for (LivePod& pod : live.pods) count_time(pod, waits_for_others || pod.is_leaving);
    measures_.work_left(live.work.work_class, times_of(live, WorkEnd::kStillThere));
  }
  Summary summary = measures_.summarize(now_, options_.until && now_ == *options_.until, decisions_);
  if (queues_ != nullptr) summary.queues = queues_->measures().summarize(options_.start + now_);
  summary.without_queue = without_queue_;
  return summary;
}

// ---- works ----------------------------------------------------------------------------------------------------------

void Replay::arrive(trace::Work work) {
  const Slot slot = works_.add(std::move(work));
  LiveWork& live = works_.at(slot);
  measures_.work_arrived(now_);
  measures_.work_waits(1);
  tell(EventKind::kArrived, live);
  live.is_held = queues_ != nullptr && !queues_->queue_of(live.work).empty();
  if (queues_ != nullptr && !live.is_held) ++without_queue_;
  describe_pods(live);
  for (std::size_t pod = 0; pod < live.pods.size(); ++pod) {
    create(slot, pod);
    measures_.pods_arrived(cluster_.shape_of(live.pods[pod].id), 1);
  }
  if (live.is_held) queue_again(slot);
  if (live.work.deleted) {
    calendar_.add({std::max(*live.work.deleted, now_), DueKind::kDeleted, 0, slot, 0, live.serial});
  }
}

/// The pods of a gang name a group of its own, which starts with all of them.
void Replay::describe_pods(LiveWork& live) {
  live.templates.clear();
  for (const trace::PodsAlike& alike : live.work.pods) live.templates.push_back(*alike.pod);
  if (!live.work.is_gang) return;
  kube::PodGroup group;
  group.metadata.namespace_ = live.templates.front().metadata.namespace_;
  group.metadata.name = group_name(live);
  group.policy.min_count = static_cast<std::int32_t>(live.pods.size());
  for (kube::Pod& pod : live.templates) {
    kube::PodSpec spec = *pod.spec;
    spec.pod_group_name = group.metadata.name;
    pod.spec = std::make_shared<const kube::PodSpec>(std::move(spec));
  }
  cluster_.set_pod_group(group);
}

/// For works that are admitted where there are nodes for their pods, which are complete.
void Replay::open_room_for_queues() {
  if (queues_ == nullptr || options_.policy.queues.admission != queue::kueue::Admission::kFeasible) return;
  room_.emplace(cluster_, dispatcher_,
                engine::AdmittedRoom::Host{[this](const std::string& name) { return queues_->find_workload(name); },
                                           [this](std::string_view name) { return queues_->find_flavor(name); },
                                           [](const kube::KueueWorkload&) { return nullptr; },
                                           [](kube::Pod&) { return Result<void>(); }});
  queues_->set_room(&*room_);
}

/// Rounds of the queues that are due, and what follows. A work that is stopped before any of its pods has a node gives
/// its quota back at once, so that there may be another round.
void Replay::follow_queues() {
  while (queues_ != nullptr) {
    const QueuedWorks::Orders orders = queues_->decide(options_.start + now_);
    for (const Slot slot : orders.stops) stop(slot);
    for (const Slot slot : orders.starts) let_start(slot);
    if (orders.stops.empty()) return;
  }
}

/// It has quota: its pods wait for nodes of its flavors.
void Replay::let_start(Slot slot) {
  LiveWork& live = works_.at(slot);
  tell(EventKind::kAdmitted, live);
  describe_pods(live);
  queues_->give_flavors(slot, live.templates);
  for (LivePod& pod : live.pods) {
    if (!pod.is_done) remove(live, pod, false);
  }
  live.is_held = false;
  for (std::size_t pod = 0; pod < live.pods.size(); ++pod) {
    if (!live.pods[pod].is_done) create(slot, pod);
  }
}

/// Its queue takes its quota back: its pods leave their nodes, or wait no more.
void Replay::stop(Slot slot) {
  LiveWork& live = works_.at(slot);
  if (live.is_held) return queue_again(slot);  // it was to start just now
  tell(EventKind::kStopped, live);
  live.is_held = true;
  decision::Eviction eviction;
  eviction.cause = decision::EvictionCause::kQueue;
  bool frees = false;
  for (const LivePod& pod : live.pods) {
    if (pod.is_placed) eviction.pods.push_back(pod.id);
    if (pod.is_placed || pod.is_leaving || pod.is_done) continue;
    frees = frees || cluster_.pod(pod.id).nominated.valid();
    dispatcher_.withdraw(pod.id);
  }
  if (frees) dispatcher_.capacity_freed();
  const std::vector<PodId> leaving = eviction.pods;
  if (!leaving.empty()) dispatcher_.evictions().ask(std::move(eviction));
  for (const PodId pod : leaving) evict(pod);
  queue_again(slot);
}

/// A work that was stopped waits again once the last of its pods has left.
void Replay::queue_again(Slot slot) {
  const LiveWork& live = works_.at(slot);
  const auto is_there = [](const LivePod& pod) { return pod.is_placed || pod.is_leaving; };
  if (live.is_held && std::ranges::none_of(live.pods, is_there)) {
    queues_->submit(slot, live, options_.start + now_);
  }
}

/// The last of its pods has a node. Those of a gang that had theirs earlier have waited.
void Replay::start(Slot slot) {
  LiveWork& live = works_.at(slot);
  live.started = now_;
  measures_.work_waits(-1);
  if (!live.has_started) {
    live.has_started = true;
    live.first_started = now_;
    measures_.work_started();
    if (live.promised) measures_.promise_settled(now_ - *live.promised);
  }
  tell(EventKind::kStarted, live);
  if (!live.work.is_gang) return;
  for (LivePod& pod : live.pods) count_time(pod, true);
  if (!live.work.run_time) return;
  calendar_.add({now_ + *live.work.run_time, DueKind::kWorkEnds, 0, slot, 0, live.serial, live.run});
}

void Replay::end(Slot slot) {
  tell(EventKind::kEnded, works_.at(slot));
  leave(slot, WorkEnd::kEnded);
}

void Replay::end_pod(Slot slot, std::size_t index) {
  LiveWork& live = works_.at(slot);
  LivePod& pod = live.pods[index];
  remove(live, pod, false);
  pod.is_done = true;
  ++live.done;
  dispatcher_.capacity_freed();
  if (queues_ != nullptr) queues_->pod_ended(slot, pod.alike, options_.start + now_);
  if (live.done == live.pods.size()) end(slot);
}

void Replay::delete_work(Slot slot) {
  tell(EventKind::kDeleted, works_.at(slot));
  leave(slot, WorkEnd::kDeleted);
}

void Replay::leave(Slot slot, WorkEnd end) {
  LiveWork& live = works_.at(slot);
  const bool is_lost = live.work.is_gang && !live.is_whole();
  if (!live.is_whole()) measures_.work_waits(-1);
  measures_.work_left(live.work.work_class, times_of(live, end));
  bool frees = false;
  for (LivePod& pod : live.pods) {
    if (pod.is_done) continue;
    frees = frees || pod.is_placed || pod.is_leaving || cluster_.pod(pod.id).nominated.valid();
    remove(live, pod, is_lost);
  }
  if (live.work.is_gang) cluster_.remove_pod_group(live.templates.front().metadata.namespace_, group_name(live));
  if (queues_ != nullptr) queues_->leave(slot, options_.start + now_);
  works_.remove(slot);
  if (frees) dispatcher_.capacity_freed();
}

WorkTimes Replay::times_of(const LiveWork& live, WorkEnd end) const {
  const Duration run = live.has_started ? now_ - live.started : Duration();
  return {live.work.arrives, live.has_started, live.first_started, run, now_, live.is_whole(), end};
}

// ---- pods -----------------------------------------------------------------------------------------------------------

void Replay::create(Slot slot, std::size_t index) {
  LiveWork& live = works_.at(slot);
  kube::Pod& pod = live.templates[live.pods[index].alike];
  pod.metadata.name = live.pods.size() == 1 ? live.work.name : fmt::format("{}-{}", live.work.name, index);
  const PodId id = cluster_.add_pod(pod);
  works_.set_id(slot, index, id);
  if (live.work.estimate) cluster_.set_expected_run(id, live.work.estimate);
  measures_.pod_waits(cluster_.shape_of(id), 1);
  if (!live.is_held) dispatcher_.add(id);
}

void Replay::act(const decision::PodTurn& turn) {
  if (turn.node.valid()) {
    const LiveWorks::PodPlace place = works_.place_of(turn.pod);
    return placed(place.slot, place.pod, turn.node);
  }
  for (const PodId victim : turn.victims) evict(victim);
}

void Replay::placed(Slot slot, std::size_t index, cluster::NodeId node) {
  LiveWork& live = works_.at(slot);
  LivePod& pod = live.pods[index];
  pod.is_placed = true;
  pod.since = now_;
  ++live.placed;
  cluster_.set_started(pod.id, options_.start + now_);
  measures_.pod_waits(cluster_.shape_of(pod.id), -1);
  measures_.pod_placed(cluster_.shape_of(pod.id));
  tell(EventKind::kPlaced, live, index, cluster_.node_name(node));
  if (!live.work.is_gang && live.work.run_time) {
    const auto number = static_cast<std::uint32_t>(index);
    calendar_.add({now_ + *live.work.run_time, DueKind::kPodEnds, 0, slot, number, live.serial, pod.run});
  }
  if (live.is_whole()) start(slot);
}

/// A gang loses the run of all its pods, another work that of the one.
void Replay::evict(PodId victim) {
  const decision::EvictionCause cause = dispatcher_.evictions().of(victim)->cause;
  const auto [slot, index] = works_.place_of(victim);
  LiveWork& live = works_.at(slot);
  LivePod& pod = live.pods[index];
  dispatcher_.leaving(victim);
  measures_.pod_evicted(cause);
  tell(cause == decision::EvictionCause::kPreemption ? EventKind::kPreempted : EventKind::kEvicted, live, index,
       cluster_.node_name(cluster_.pod(victim).node));
  if (live.is_whole()) measures_.work_waits(1);
  if (live.work.is_gang) {
    for (LivePod& member : live.pods) count_time(member, true);
  } else {
    count_time(pod, true);
  }
  pod.is_placed = false;
  pod.is_leaving = true;
  ++pod.run;
  ++live.run;
  --live.placed;
  const std::int64_t grace =
      live.templates[pod.alike].spec->termination_grace_period_seconds.value_or(kube::kDefaultGracePeriodSeconds);
  calendar_.add(
      {now_ + Duration::seconds(grace), DueKind::kPodGone, 0, slot, static_cast<std::uint32_t>(index), live.serial});
}

/// A victim has left, and another pod waits in its stead.
void Replay::gone(Slot slot, std::size_t index) {
  LiveWork& live = works_.at(slot);
  LivePod& pod = live.pods[index];
  remove(live, pod, true);
  pod.is_leaving = false;
  dispatcher_.capacity_freed();
  create(slot, index);
  if (live.is_held) queue_again(slot);
}

/// Adds up for how long it has had its node since that was last asked.
void Replay::count_time(LivePod& pod, bool is_lost) {
  if (!pod.is_placed && !pod.is_leaving) return;
  measures_.gpu_time(gpus_of(pod.id), now_ - pod.since, is_lost);
  pod.since = now_;
}

void Replay::remove(LiveWork& live, LivePod& pod, bool is_lost) {
  const cluster::PodShape& shape = cluster_.shape_of(pod.id);
  count_time(pod, is_lost || pod.is_leaving);
  if (pod.is_placed || pod.is_leaving) {
    measures_.pod_left(shape);
  } else {
    measures_.pod_waits(shape, -1);
    dispatcher_.withdraw(pod.id);
  }
  if (pod.is_placed) --live.placed;
  pod.is_placed = false;
  cluster_.remove_pod(pod.id);
}

}  // namespace

std::string_view event_word(EventKind kind) {
  switch (kind) {
    case EventKind::kArrived:
      return "arrived";
    case EventKind::kAdmitted:
      return "admitted";
    case EventKind::kPlaced:
      return "placed";
    case EventKind::kStarted:
      return "started";
    case EventKind::kPreempted:
      return "preempted";
    case EventKind::kEvicted:
      return "evicted";
    case EventKind::kStopped:
      return "stopped";
    case EventKind::kEnded:
      return "ended";
    case EventKind::kDeleted:
      return "deleted";
  }
  return "";
}

Result<Summary> replay(const kube::Objects& objects, const kube::SchedulerConfiguration& configuration,
                       trace::WorkSource& source, const ReplayOptions& options, Observer& observer) {
  cluster::Cluster cluster;
  simulator::fill_cluster(objects, cluster);
  for (const kube::Pod& pod : objects.of<kube::Pod>()) {
    const cluster::NodeId node = cluster.find_node(pod.spec->node_name);
    if (node.valid() && !pod.finished()) cluster.add_pod(pod, node);
  }
  Result<placement::Scheduler> scheduler =
      placement::Scheduler::make(cluster, engine::registry(), configuration, {}, options.policy.placement);
  if (!scheduler) return tl::unexpected(scheduler.error());
  std::optional<QueuedWorks> queues;
  if (simulator::has_queues(objects)) queues.emplace(objects, options.policy.queues, options.start);
  return Replay(cluster, std::move(*scheduler), source, options, observer, queues ? &*queues : nullptr).run();
}

}  // namespace loadline::replay

// The part of Simulation that starts and stops jobs as Kueue's queues say.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/spellings/kinds.h"
#include "brain/workloads/expansion.h"
#include "hosts/simulator/queue_objects.h"
#include "hosts/simulator/simulation.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/core/service.h"
#include "objects/kube/koordinator/reservation.h"
#include "objects/kube/scheduling/workload.h"

namespace loadline::simulator {
namespace {

/// Calls `act.operator()<Kind>()` for the kinds that controllers make on the way to pods.
template <class Act>
void for_each_made_kind(Act act) {
  const auto act_on_each = [&]<class... Kinds>() { (act.template operator()<Kinds>(), ...); };
  act_on_each
      .template operator()<kube::Service, kube::ReplicaSet, kube::StatefulSet, kube::Workload, kube::Reservation>();
  cluster::spellings::for_each_group_kind(act);
}

/// Of a job that starts again, all is there already.
void leave_out_known(kube::Objects& made, const kube::Objects& known) {
  for_each_made_kind([&]<class Kind>() {
    std::erase_if(made.of<Kind>(), [&](const Kind& each) {
      return std::ranges::any_of(known.of<Kind>(), [&](const Kind& other) {
        return other.metadata.name == each.metadata.name && other.metadata.namespace_ == each.metadata.namespace_;
      });
    });
  });
}

void append(const kube::Objects& made, kube::Objects& known) {
  for_each_made_kind([&]<class Kind>() {
    known.of<Kind>().insert(known.of<Kind>().end(), made.of<Kind>().begin(), made.of<Kind>().end());
  });
}

}  // namespace

/// For jobs that are admitted where there are nodes for their pods.
void Simulation::open_room_for_queues() {
  if (queued_ == nullptr || options_.policy.queues.admission != queue::kueue::Admission::kFeasible) return;
  const auto complete = [this](kube::Pod& pod) -> Result<void> {
    if (const admission::Verdict refused = admission_.complete(pod)) return failure(refused->message);
    return {};
  };
  admitted_room_.emplace(
      cluster_, dispatcher_,
      engine::AdmittedRoom::Host{[this](const std::string& name) { return queued_->find_workload(name); },
                                 [this](std::string_view name) { return find_flavor(objects_, name); },
                                 [this](const kube::KueueWorkload& workload) { return controller_of(workload); },
                                 complete});
  queued_->set_room(&*admitted_room_);
}

/// Of pods that wait for the admission; null: nothing controls them, or they come with it.
const kube::OwnerReference* Simulation::controller_of(const kube::KueueWorkload& workload) const {
  const std::optional<std::size_t> member = queued_->first_member(workload);
  return member ? pods_[*member].pod.metadata.controller() : nullptr;
}

/// Jobs that were admitted just before the plan start unless a round has them leave at once.
void Simulation::begin_queues() {
  if (queued_ == nullptr) return;
  queued_->submit_pods(pods_, now_);
  const QueuedJobs::Orders first = queued_->take_first_orders();
  for (const std::size_t job : first.stops) stop_job(job);
  follow_queues();
  for (const std::size_t job : first.starts) start_job(job);
}

/// Rounds of the queues that are due, and what follows. False: nothing does.
bool Simulation::follow_queues() {
  if (queued_ == nullptr) return false;
  queued_->submit_pods(pods_, now_);
  const QueuedJobs::Orders orders = queued_->decide(now_);
  carry_out(orders);
  return !orders.empty();
}

void Simulation::carry_out(const QueuedJobs::Orders& orders) {
  for (const std::size_t job : orders.stops) stop_job(job);
  for (const std::size_t job : orders.starts) start_job(job);
}

/// Its controller makes its pods.
void Simulation::start_job(std::size_t index) {
  if (queued_->jobs()[index].stage != QueuedStage::kStarted) return;
  kube::Objects started;
  if (!queued_->jobs()[index].bundle && !queued_->start(index, now_, started)) return;
  const QueuedJob& job = queued_->jobs()[index];
  events_.push_back({now_ - options_.now, job.name.to_string(), "Admitted",
                     "Admitted by ClusterQueue " + job.workload.status.admission->cluster_queue});
  if (job.bundle) return release_pods(index);
  Intake intake = take_in_made(started, admission_, options_, options_.seed + job.stops);
  for (kube::PersistentVolumeClaim& claim : intake.claims) cluster_.volumes().add(std::move(claim));
  cluster_.volumes().bind_immediate_claims();
  if (job.stops > 0) leave_out_known(intake.made, made_);
  const admission::PriorityClasses classes(objects_.of<kube::PriorityClass>());
  add_made_objects(intake.made, classes, cluster_);
  add_made_objects(intake.revised, classes, cluster_);
  append(intake.made, made_);
  lost_pods_.objects_changed();
  notes_.insert(notes_.end(), intake.notes.begin(), intake.notes.end());
  for (AwaitedArrival& awaited : intake.awaited) awaited_.add(std::move(awaited));
  room_.take_in_made(intake.made, intake.created);
  for (Arrival& arrival : intake.created) create(std::move(arrival), 0);
}

/// Pods that waited without a job lose their gates.
void Simulation::release_pods(std::size_t job) {
  const std::vector<std::size_t> members = queued_->jobs()[job].members;
  queued_->note_release(job);
  for (const std::size_t member : members) {
    if (pods_[member].outcome != PodOutcome::kQueued) continue;
    pods_[member].pod = queued_->released(job, pods_[member].pod);
    pods_[member].outcome = PodOutcome::kPending;
    pods_[member].decided = now_;
    pods_[member].message.clear();
    enter(member);
  }
}

/// Its controller deletes its pods.
void Simulation::stop_job(std::size_t index) {
  const QueuedJob& job = queued_->jobs()[index];
  const std::string why = job.why;
  events_.push_back({now_ - options_.now, job.name.to_string(), "Stopped", why});
  if (job.bundle) {
    for (const std::size_t member : std::vector(job.members)) stop_pod(member, why);
    return queued_->stop(index, now_);
  }
  std::erase_if(postponed_, [&](const Postponed& each) { return each.arrival.workload == job.name; });
  awaited_.drop(job.name);
  for (std::size_t i = 0; i < pods_.size(); ++i) {
    if (pods_[i].workload == job.name) stop_pod(i, why);
  }
  queued_->stop(index, now_);
  lost_pods_.objects_changed();
}

void Simulation::stop_pod(std::size_t index, const std::string& why) {
  SimulatedPod& subject = pods_[index];
  const bool is_there = !subject.left() && !subject.is_gone;
  if (subject.on_a_node() && is_there) {
    if (cluster_.pod(subject.id).terminating) return;
    decision::Eviction eviction;
    eviction.cause = decision::EvictionCause::kQueue;
    eviction.pods = {subject.id};
    dispatcher_.evictions().ask(std::move(eviction));
    return evict(subject.id);
  }
  std::erase(rejected_, index);
  const bool waits = subject.outcome == PodOutcome::kPending || subject.outcome == PodOutcome::kGated ||
                     subject.outcome == PodOutcome::kIgnored;
  if (!waits || !is_there) return;
  const cluster::GroupId group = subject.id.valid() ? cluster_.pod(subject.id).group : cluster::GroupId{};
  if (subject.id.valid()) {
    dispatcher_.withdraw(subject.id);
    cluster_.remove_pod(subject.id);
    disruption_.pod_deleted(subject.id);
  }
  admission_.release(subject.pod);
  subject.outcome = PodOutcome::kEvicted;
  subject.message = why;
  subject.decided = now_;
  subject.is_gone = true;
  if (group.valid()) dispatcher_.group_changed(group);
  const std::optional<std::size_t> job = queued_->find(index, subject.workload);
  const bool is_alone = job && queued_->jobs()[*job].bundle.has_value();
  queued_->pod_goes(index, subject.workload, now_);
  if (is_alone) replace(index);  // its controller, if it has one, is told nothing
}

/// Pods of jobs that wait in their queues are told of, though nobody has made them.
void Simulation::tell_queued() {
  queued_->conclude();
  for (std::size_t index = 0; index < queued_->jobs().size(); ++index) {
    const QueuedJob& job = queued_->jobs()[index];
    if (job.stage == QueuedStage::kStarted || job.stage == QueuedStage::kOver) continue;
    if (job.bundle) {
      for (const std::size_t member : job.members) {
        if (pods_[member].outcome == PodOutcome::kQueued) pods_[member].message = queued_->why_it_waits(index);
      }
      continue;
    }
    const std::size_t first = pods_.size();
    workloads::Expansion expansion =
        workloads::expand(queued_->as_if_started(index), now_, options_.seed + job.stops, options_.gates);
    for (workloads::CreatedPod& created : expansion.pods) {
      if (admission_.complete(created.pod)) continue;
      SimulatedPod& subject = pods_.add();
      subject.workload = job.name;
      subject.pod = std::move(created.pod);
      subject.outcome = PodOutcome::kQueued;
      subject.message = queued_->why_it_waits(index);
      subject.decided = options_.now + job.after;
    }
    note_successors(job.name, first);
  }
}

/// The pods from `first` on come in place of those of the job that were stopped.
void Simulation::note_successors(const workloads::WorkloadReference& job, std::size_t first) {
  std::size_t next = first;
  for (std::size_t i = 0; i < first && next < pods_.size(); ++i) {
    SimulatedPod& subject = pods_[i];
    if (subject.workload != job || !subject.left() || !subject.replaced_by.empty()) continue;
    const kube::ObjectMeta& metadata = pods_[next++].pod.metadata;
    subject.replaced_by = metadata.namespace_ + '/' + metadata.name;
  }
}

}  // namespace loadline::simulator

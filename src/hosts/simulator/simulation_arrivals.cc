// How pods come into a simulation: those that are there, new ones, and those that replace others.
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "brain/cluster/spellings/membership.h"
#include "brain/gang/group_standing.h"
#include "hosts/simulator/bound_pods.h"
#include "hosts/simulator/simulation.h"
#include "objects/kube/defaults.h"

namespace loadline::simulator {
namespace {

/// A pod that its node's taints keep evicting is replaced this often; then the plan says so and stops.
constexpr std::uint64_t kMostReplacements = 3;

}  // namespace

// ---- what is there, and what is new -------------------------------------------------------------------------------

/// Its kubelet is asked, and no scheduler. A controller makes another pod when one has failed, and that fails alike.
void Simulation::start_where_it_says(Arrival&& arrival, PodOutcome outcome, std::uint64_t generation) {
  std::optional<std::string> why = refused_by_kubelet(arrival.pod, objects_, cluster_, pods_);
  if (!why) return adopt(std::move(arrival), outcome, generation);
  SimulatedPod& subject = pods_.add();
  subject.workload = std::move(arrival.workload);
  subject.outcome = PodOutcome::kFailed;
  subject.decided = now_;
  subject.generation = generation;
  subject.message = *std::move(why);
  if (arrival.pod.metadata.controller() != nullptr) {
    subject.message += "; its controller makes another one, which fails again as long as nothing changes";
  }
  subject.pod = std::move(arrival.pod);
  admission_.release(subject.pod);
}

void Simulation::adopt(Arrival&& arrival, PodOutcome outcome, std::uint64_t generation) {
  const std::size_t index = pods_.size();
  SimulatedPod& subject = pods_.add();
  subject.workload = std::move(arrival.workload);
  subject.outcome = outcome;
  subject.decided = now_;
  subject.generation = generation;
  subject.node = cluster_.find_node(arrival.pod.spec->node_name);
  cluster_.volumes().add_ephemeral_claims(arrival.pod);
  if (queued_ != nullptr) queued_->name_workload(arrival.workload, arrival.pod);
  const bool has_node = subject.node.valid();
  pods_.identify(index, has_node ? cluster_.add_pod(arrival.pod, subject.node) : cluster_.add_pod(arrival.pod));
  // Of what was there when the plan began, see note_earlier_starts().
  const cluster::GroupId group = cluster_.pod(subject.id).group;
  if (outcome == PodOutcome::kPlaced && group.valid()) gang::note_start(cluster_, group);
  subject.pod = std::move(arrival.pod);
  note_expected_run(subject);
  disruption_.pod_created(subject.id, subject.pod, subject.workload);
  if (queued_ != nullptr) {
    queued_->adopt_pod(index, subject);
    queued_->pod_comes(index, subject.workload);
  }
  awaited_.count(subject.pod, 1);
  if (!has_node) {
    Diagnostic diagnostic{Severity::kWarning, subject.pod.metadata.source, title(index), "", "", ""};
    diagnostic.message = "runs on node \"" + subject.pod.spec->node_name + "\", which is not in the input";
    notes_.push_back(std::move(diagnostic));
    return;
  }
  if (subject.pod.metadata.deletion_timestamp) {
    dispatcher_.evictions().leaving(subject.id, decision::told_cause(subject.pod));
    schedule_event(std::max(now_, *subject.pod.metadata.deletion_timestamp), EventKind::kPodGone, index);
  } else {
    evict_for_taints(index);
  }
}

void Simulation::create(Arrival&& arrival, std::uint64_t generation) {
  const bool is_bound = !arrival.rejection && !arrival.pod.spec->node_name.empty();
  if (is_bound) return start_where_it_says(std::move(arrival), PodOutcome::kPlaced, generation);
  const std::size_t index = pods_.size();
  SimulatedPod& subject = pods_.add();
  subject.workload = std::move(arrival.workload);
  subject.decided = now_;
  subject.generation = generation;
  subject.pod = std::move(arrival.pod);
  if (arrival.rejection) {
    subject.outcome = PodOutcome::kRejected;
    subject.message = std::move(arrival.rejection->message);
    subject.excesses = std::move(arrival.rejection->excesses);
    const bool is_tried_again = subject.pod.metadata.controller() != nullptr && subject.pod.spec->node_name.empty();
    if (is_tried_again) rejected_.push_back(index);
    return;
  }
  enter(index);
}

/// What was admitted comes before the scheduler, or waits for its gates.
void Simulation::enter(std::size_t index) {
  SimulatedPod& subject = pods_[index];
  if (queued_ != nullptr && queued_->holds_pod(index, subject)) {
    subject.outcome = PodOutcome::kQueued;
    return;
  }
  if (queued_ != nullptr) queued_->pod_comes(index, subject.workload);
  const auto gate = scheduler().gate(subject.pod);
  if (scheduler().profile(subject.pod.spec->scheduler_name) == nullptr) {
    subject.outcome = PodOutcome::kIgnored;
    subject.message = "no profile answers to schedulerName \"" + subject.pod.spec->scheduler_name + '"';
  } else if (gate) {
    subject.outcome = PodOutcome::kGated;
    subject.message = gate->reasons.front().text();
    // A member that is held by a gate counts among those that are there.
    if (!cluster::spellings::group_of(subject.pod)) return;
    pods_.identify(index, cluster_.add_pod(subject.pod));
    dispatcher_.group_changed(cluster_.pod(subject.id).group);
  } else {
    cluster_.volumes().add_ephemeral_claims(subject.pod);
    pods_.identify(index, cluster_.add_pod(subject.pod));
    note_expected_run(subject);
    disruption_.pod_created(subject.id, subject.pod, subject.workload);
    const std::string& nominated = subject.pod.status.nominated_node_name;
    if (!nominated.empty()) cluster_.nominate(subject.id, cluster_.find_node(nominated));
    dispatcher_.add(subject.id);
  }
}

/// What the pod itself does not say, its workload may.
void Simulation::note_expected_run(const SimulatedPod& subject) {
  if (cluster_.run_facts(subject.id).expected) return;
  if (!expected_runs_) expected_runs_.emplace(objects_);
  const std::optional<Duration> run = expected_runs_->of(subject.pod.metadata, subject.workload);
  if (run) cluster_.set_expected_run(subject.id, run);
}

// ---- what replaces others -----------------------------------------------------------------------------------------

/// Those of a StatefulSet's pod that are gone, or were not read.
void Simulation::add_missing_claims(std::vector<kube::PersistentVolumeClaim> claims) {
  for (kube::PersistentVolumeClaim& claim : claims) {
    if (cluster_.volumes().claim(claim.metadata.namespace_, claim.metadata.name) != nullptr) continue;
    if (!admission_.admit(claim)) cluster_.volumes().add(std::move(claim));
  }
}

void Simulation::replace(std::size_t index) {
  SimulatedPod& lost = pods_[index];
  std::vector<const kube::Pod*> waiting;
  for (const Postponed& each : postponed_) {
    if (each.arrival.workload == lost.workload) waiting.push_back(&each.arrival.pod);
  }
  std::optional<workloads::Replacement> next = lost_pods_.replacement_of(index, std::move(waiting));
  if (!next) return;
  if (std::optional<Diagnostic> note = lost_pods_.exceeded_backoff(index)) notes_.push_back(*std::move(note));
  const std::uint64_t generation = lost.generation + 1;
  if (generation > kMostReplacements) {
    lost.is_given_up = true;
    Diagnostic diagnostic{Severity::kWarning, {}, title(index), "", "", ""};
    diagnostic.message = "keeps losing its node; the plan stops replacing it";
    notes_.push_back(std::move(diagnostic));
    return;
  }
  add_missing_claims(std::move(next->claims));
  lost.replaced_by = next->pod.metadata.namespace_ + '/' + next->pod.metadata.name;
  postponed_.push_back({{std::move(next->pod), lost.workload}, generation});
  create_postponed();
}

/// Controllers try again to create what was refused: a pod that is gone leaves its quota to the one that replaces it.
void Simulation::create_postponed() {
  for (Postponed& next : std::exchange(postponed_, {})) {
    kube::Pod pod = next.arrival.pod;
    const bool is_refused_there = !pod.spec->node_name.empty() && refused_by_kubelet(pod, objects_, cluster_, pods_);
    if (is_refused_there || admission_.admit(pod, spec_of(next.arrival.workload))) {
      postponed_.push_back(std::move(next));
    } else {
      create({std::move(pod), std::move(next.arrival.workload)}, next.generation);
    }
  }
}

/// Controllers also try again to create what admission refused at first: pods that left may have freed their quota. Of
/// one workload, the next pod is tried if the one before it was admitted.
void Simulation::retry_rejected() {
  std::set<workloads::WorkloadReference> refused;
  std::erase_if(rejected_, [&](std::size_t index) {
    SimulatedPod& subject = pods_[index];
    if (refused.contains(subject.workload)) return false;
    kube::Pod pod = subject.pod;
    if (admission_.admit(pod, spec_of(subject.workload))) {
      refused.insert(subject.workload);
      return false;
    }
    subject.pod = std::move(pod);
    subject.outcome = PodOutcome::kPending;
    subject.decided = now_;
    subject.message.clear();
    subject.excesses.clear();
    enter(index);
    return true;
  });
}

/// What was refused to the end.
void Simulation::reject_postponed() {
  for (Postponed& last : std::exchange(postponed_, {})) {
    Arrival arrival = std::move(last.arrival);
    arrival.rejection = admission_.admit(arrival.pod, spec_of(arrival.workload));
    create(std::move(arrival), last.generation);
  }
}

}  // namespace loadline::simulator

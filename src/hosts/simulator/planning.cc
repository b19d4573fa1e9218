#include "hosts/simulator/planning.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "brain/cluster/facts/taint_eviction.h"
#include "brain/cluster/ledgers/transaction.h"
#include "brain/engine/registry.h"
#include "brain/gang/eviction_units.h"
#include "brain/workloads/pod_set.h"
#include "foundation/base/contract.h"
#include "hosts/simulator/annotation_notes.h"
#include "hosts/simulator/claim_notes.h"
#include "hosts/simulator/group_notes.h"
#include "hosts/simulator/held_spares.h"
#include "hosts/simulator/intake.h"
#include "hosts/simulator/planned_groups.h"
#include "hosts/simulator/planned_queues.h"
#include "hosts/simulator/pod_bound.h"
#include "hosts/simulator/queue_objects.h"
#include "hosts/simulator/topology_notes.h"
#include "hosts/simulator/unheld_jobs.h"
#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/pod_resources.h"

namespace loadline::simulator {
namespace {

/// Whether the pod is to start in the plan, so that a queue may have its say.
bool is_to_start(const SimulatedPod& subject, Instant began) {
  if (subject.outcome == PodOutcome::kPlaced || subject.outcome == PodOutcome::kGated) return true;
  const std::optional<Instant>& started = subject.pod.status.start_time;
  return subject.outcome == PodOutcome::kRunning && started && *started >= began;  // an earlier plan started it
}

PlannedPod describe(const SimulatedPod& subject, const cluster::Cluster& cluster, const Simulation& simulation) {
  PlannedPod pod;
  pod.name_space = subject.pod.metadata.namespace_;
  pod.name = subject.pod.metadata.name;
  pod.workload = name_of(subject.workload);
  pod.role = workloads::role_of(subject.workload, subject.pod.metadata);
  pod.outcome = subject.outcome;
  pod.priority = subject.pod.spec->priority.value_or(0);
  pod.scheduler_name = subject.pod.spec->scheduler_name;
  if (std::optional<cluster::GroupName> group = group_of(subject, cluster)) {
    pod.pod_group = std::move(group->name);
    pod.pod_group_spelling = group->spelling;
  }
  pod.message = subject.message;
  pod.reasons = subject.reasons;
  pod.preempted_by = subject.preempted_by;
  pod.replaced_by = subject.replaced_by;
  pod.is_evicted_by_taint = subject.is_evicted_by_taint;
  pod.held_by = simulation.title(subject.held_by);
  pod.passed = subject.passed;
  pod.reservation = subject.consumed_reservation;
  pod.after = subject.decided - simulation.began();
  if (subject.node.valid()) {
    pod.node = cluster.node_name(subject.node);
  } else {
    pod.node = subject.pod.spec->node_name;
  }
  if (!subject.id.valid()) {
    pod.requests = kube::pod_requests(*subject.pod.spec, nullptr, {});
    return pod;
  }
  pod.requests = cluster.shape_of(subject.id).requests_list;
  const cluster::NodeId nominated = cluster.pod(subject.id).nominated;
  if (nominated.valid()) pod.nominated_node = cluster.node_name(nominated);
  return pod;
}

PlannedNode describe(const kube::Node& node, cluster::NodeId id, const cluster::Cluster& cluster) {
  PlannedNode planned;
  planned.name = node.metadata.name;
  planned.unschedulable = node.unschedulable;
  planned.labels = node.metadata.labels;
  planned.allowed_pods = cluster.allowed_pods(id);
  for (const kube::Taint& taint : node.taints) {
    const std::string value = taint.value.empty() ? "" : '=' + taint.value;
    planned.taints.push_back(taint.key + value + ':' + std::string(kube::name_of(taint.effect)));
  }
  for (const auto& [name, allocatable] : node.allocatable) {
    const cluster::ResourceId resource = cluster.resources().find(name);
    if (!resource.valid()) continue;
    const std::int64_t requested = cluster.requested(id, resource);
    const auto quantity = resource == cluster::kCpu ? kube::Quantity::of_milli(requested)
                                                    : kube::Quantity::of(requested, allocatable.format());
    planned.resources[name] = {allocatable, quantity};
  }
  return planned;
}

/// Those of `workloads` that own none of the pods.
std::vector<WorkloadName> without_pods(std::vector<WorkloadName> workloads, const std::vector<PlannedPod>& pods) {
  if (workloads.empty()) return workloads;
  std::set<WorkloadName> owners;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const bool is_like_the_last = i > 0 && pods[i].workload == pods[i - 1].workload;
    if (!is_like_the_last) owners.insert(pods[i].workload);
  }
  std::erase_if(workloads, [&](const WorkloadName& workload) { return owners.contains(workload); });
  return workloads;
}

/// That a job is suspended is no news of one that its queue holds.
void leave_out_held(const QueuedJobs& queued, Diagnostics& notes) {
  std::set<std::string> held;
  for (const QueuedJob& job : queued.jobs()) held.insert(job.name.to_string());
  std::erase_if(notes,
                [&](const Diagnostic& note) { return note.message == "is suspended" && held.contains(note.subject); });
}

/// They are not made before their queues let them start, and may be all at once then.
Result<void> check_queued_pods(std::int64_t most, const QueuedJobs& queued) {
  std::int64_t pods = 0;
  for (const QueuedJob& job : queued.jobs()) {
    for (const kube::PodSet& set : job.workload.pod_sets) pods += set.count;
    if (pods <= most) continue;
    return failure(
        fmt::format("{}: makes, with the jobs before it that wait in queues, {} pods, more than {} "
                    "(--max-pods raises it)",
                    job.name.to_string(), pods, most));
  }
  return {};
}

/// Nodes have the ids of their places in the input.
class NodesOfInput final : public placement::NodeObjects {
 public:
  explicit NodesOfInput(const kube::Objects& objects) : objects_(objects) {}
  [[nodiscard]] const kube::Node& at(cluster::NodeId node) const override {
    REQUIRES(node.index() < objects_.of<kube::Node>().size());
    return objects_.of<kube::Node>()[node.index()];
  }

 private:
  const kube::Objects& objects_;
};

}  // namespace

Planning::Planning(const kube::Objects& input, const kube::Objects& objects,
                   const kube::SchedulerConfiguration& configuration, const PlanOptions& options)
    : input_(input),
      objects_(objects),
      configuration_(configuration),
      options_(options),
      admission_(objects),
      queues_(objects) {
  options_.extensions.pods = pods_;
  options_.extensions.nodes = std::make_shared<NodesOfInput>(objects);
}

Result<std::unique_ptr<Planning>> Planning::make(const kube::Objects& input,
                                                 const kube::SchedulerConfiguration& configuration,
                                                 const PlanOptions& options) {
  if (const Result<void> counted = check_pods(options.most_pods, input); !counted) {
    return tl::unexpected(counted.error());
  }
  std::unique_ptr<kube::Objects> own;
  if (has_queues(input)) own = std::make_unique<kube::Objects>(input);
  const kube::Objects& objects = own ? *own : input;
  std::unique_ptr<Planning> planning(new Planning(input, objects, configuration, options));
  planning->own_objects_ = std::move(own);
  if (planning->own_objects_) {
    planning->queued_.emplace(*planning->own_objects_, planning->admission_, planning->options_);
    const Result<void> counted = check_queued_pods(options.most_pods, *planning->queued_);
    if (!counted) return tl::unexpected(counted.error());
  }
  cluster::Cluster& cluster = planning->cluster_;
  fill_cluster(objects, cluster);
  if (options.policy.gang.minimum == gang::GroupMinimum::kFinishedToo) count_succeeded_pods(objects, cluster);
  Result<placement::Scheduler> scheduler = placement::Scheduler::make(
      cluster, engine::registry(), configuration, planning->options_.extensions, planning->options_.policy.placement);
  if (!scheduler) return tl::unexpected(scheduler.error());
  Intake intake = take_in(objects, planning->admission_, planning->options_);
  for (const kube::PersistentVolumeClaim& claim : intake.claims) cluster.volumes().add(claim);
  cluster.volumes().bind_immediate_claims();
  const admission::PriorityClasses classes(objects.of<kube::PriorityClass>());
  add_made_objects(intake.made, classes, cluster);
  add_made_objects(intake.revised, classes, cluster);
  planning->made_ = std::move(intake.made);
  planning->revised_ = std::move(intake.revised);
  planning->refused_ = intake.refused;
  planning->notes_ = intake.notes;
  planning->workloads_ = std::move(intake.workloads);
  QueuedJobs* const queued = planning->queued_ ? &*planning->queued_ : nullptr;
  if (queued != nullptr) leave_out_held(*queued, planning->notes_);
  Simulation& simulation =
      planning->simulation_.emplace(objects, planning->made_, cluster, std::move(*scheduler), planning->admission_,
                                    *planning->pods_, planning->options_, queued);
  simulation.run(std::move(intake));
  return planning;
}

const WatchedDecision* Planning::watched() const {
  const std::optional<WatchedDecision>& watched = simulation_->watched();
  return watched ? &*watched : nullptr;
}

Planning::Answer Planning::ask_about(const kube::Pod& pod) {
  const cluster::PodId id = cluster_.add_pod(pod);
  pods_->receive(id, &pod);
  Answer answer;
  answer.decision = scheduler().decide(id);
  pods_->receive({}, nullptr);
  const cluster::NodeId node =
      answer.decision.attempt.scheduled() ? answer.decision.attempt.node : answer.decision.preemption.node;
  if (node.valid()) {
    answer.may_stay = !cluster::time_to_stay(cluster_.facts(node).taints, cluster_.shape_of(id).tolerations);
  }
  cluster_.remove_pod(id);
  return answer;
}

placement::Examination Planning::examine(std::size_t subject) {
  const SimulatedPod& asked = (*pods_)[subject];
  if (!cluster_.pod(asked.id).node.valid()) return scheduler().examine(asked.id);
  const cluster::Transaction elsewhere(cluster_);
  cluster_.unplace(asked.id);
  if (asked.pod.spec->node_name.empty()) return scheduler().examine(asked.id);
  // The shape of a pod that ran when the plan began leaves out the node that its spec names.
  const cluster::PodId as_written = cluster_.add_pod(asked.pod);
  pods_->receive(as_written, &asked.pod);
  placement::Examination examination = scheduler().examine(as_written);
  pods_->receive({}, nullptr);
  cluster_.remove_pod(as_written);
  return examination;
}

/// What is not decided of a workload in that queue; empty: its queue was asked.
std::string Planning::undecided(const workloads::NamedQueue& queue,
                                const workloads::WorkloadReference& workload) const {
  const bool is_decided = queue.project == workloads::kKueueProject && queued_ && queued_->find(workload);
  return is_decided ? std::string() : queue.text();
}

PlannedPod Planning::planned(std::size_t subject) const {
  const SimulatedPod& asked = (*pods_)[subject];
  PlannedPod pod = describe(asked, cluster_, *simulation_);
  if (is_to_start(asked, options_.now)) {
    if (const auto queue = queues_.of(asked.pod, asked.workload)) {
      const bool is_decided =
          queued_ && queue->project == workloads::kKueueProject && queued_->find(subject, asked.workload);
      if (!is_decided) pod.undecided = queue->text();
    }
  }
  const bool waits = asked.outcome == PodOutcome::kPending && asked.id.valid();
  if (waits) pod.start = start_of(decision::Unit(asked.id), cluster_, *pods_, *simulation_);
  return pod;
}

std::optional<StartPlan> Planning::holding_start(std::size_t subject) const {
  const SimulatedPod& asked = (*pods_)[subject];
  if (asked.outcome != PodOutcome::kPending || !asked.id.valid()) return std::nullopt;
  decision::Unit holder = asked.held_by;
  if (const cluster::GroupId group = cluster_.pod(asked.id).group; group.valid()) {
    const GroupTurn* turn = simulation_->last_turn(group);
    if (turn != nullptr) holder = turn->held_by;
  }
  return start_of(holder, cluster_, *pods_, *simulation_);
}

std::vector<PlannedGroup> Planning::groups() const {
  return planned_groups(objects_, made_, cluster_, *pods_, *simulation_);
}

std::vector<KnownStart> Planning::starts() const {
  std::vector<KnownStart> starts;
  for (const cluster::GroupId id : cluster_.placed_groups()) {
    const cluster::PodGroup& group = cluster_.group(id);
    if (!group.has_started || !group.started_with) continue;
    starts.push_back(
        {std::string(cluster_.symbols().text(group.name_space)), {group.spelling, group.name}, *group.started_with});
  }
  return starts;
}

Plan Planning::plan() const {
  Plan plan;
  plan.refused = refused_;
  plan.notes = notes_;
  plan.notes.insert(plan.notes.end(), simulation_->notes().begin(), simulation_->notes().end());
  plan.notes.insert(plan.notes.end(), room().notes().begin(), room().notes().end());
  if (queued_) plan.notes.insert(plan.notes.end(), queued_->notes().begin(), queued_->notes().end());
  const Diagnostics about_unheld = note_unheld_jobs(objects_);
  plan.notes.insert(plan.notes.end(), about_unheld.begin(), about_unheld.end());
  const Diagnostics about_claims = note_claims_without_class(cluster_.volumes(), objects_.of<kube::StorageClass>());
  plan.notes.insert(plan.notes.end(), about_claims.begin(), about_claims.end());
  const Diagnostics about_topologies = note_topology_faults(objects_, cluster_);
  plan.notes.insert(plan.notes.end(), about_topologies.begin(), about_topologies.end());
  const Diagnostics about_groups = note_group_priorities(objects_);
  plan.notes.insert(plan.notes.end(), about_groups.begin(), about_groups.end());
  const Diagnostics about_annotations = note_unreadable_annotations(objects_, *pods_);
  plan.notes.insert(plan.notes.end(), about_annotations.begin(), about_annotations.end());
  plan.groups = groups();
  plan.events = simulation_->events();
  plan.refused_evictions = simulation_->refused_evictions();
  plan.cycles = simulation_->cycles();
  plan.nodes.reserve(objects_.of<kube::Node>().size());
  for (std::size_t i = 0; i < objects_.of<kube::Node>().size(); ++i) {
    plan.nodes.push_back(describe(objects_.of<kube::Node>()[i], cluster::NodeId{i}, cluster_));
  }
  plan.pods.reserve(pods_->size());
  for (std::size_t i = 0; i < pods_->size(); ++i) {
    const SimulatedPod& subject = (*pods_)[i];
    const bool there = subject.outcome == PodOutcome::kPlaced || subject.outcome == PodOutcome::kRunning;
    if (there && subject.node.valid()) plan.nodes[subject.node.index()].pods.push_back(i);
    plan.pods.push_back(planned(i));
  }
  if (queued_) {
    plan.queued = planned_workloads(*queued_);
    plan.queues = planned_queues(*queued_);
  }
  plan.reservations = room().describe();
  for (std::size_t i = 0; i < plan.reservations.size(); ++i) {
    for (const ReservedShare& share : plan.reservations[i].nodes) {
      std::vector<std::size_t>& reserved = plan.nodes[cluster_.find_node(share.node).index()].reserved;
      reserved.insert(reserved.end(), share.pods, i);
    }
  }
  plan.idle = without_pods(workloads_, plan.pods);
  for (const WorkloadName& idle : plan.idle) {
    const workloads::WorkloadReference workload = {idle.kind, idle.name_space, idle.name};
    const auto queue = queues_.of(workload);
    if (std::string why = queue ? undecided(*queue, workload) : ""; !why.empty()) {
      plan.undecided.push_back({idle, std::move(why)});
    }
  }
  note_spares(plan);
  return plan;
}

Result<Plan> make_plan(const kube::Objects& objects, const kube::SchedulerConfiguration& configuration,
                       const PlanOptions& options) {
  Result<std::unique_ptr<Planning>> planning = Planning::make(objects, configuration, options);
  if (!planning) return tl::unexpected(planning.error());
  return (*planning)->plan();
}

bool Planning::breaks_up_groups(std::span<const cluster::PodId> victims, std::int32_t priority) const {
  const gang::GroupVictims together = options_.policy.gang.victims;
  if (together == gang::GroupVictims::kPodByPod) return false;
  return !gang::may_leave(
      cluster_, {together, {}, priority, options_.now, gang::longest_exemption(options_.policy.gang)}, victims);
}

}  // namespace loadline::simulator

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "brain/admission/admission.h"
#include "brain/cluster/cluster.h"
#include "brain/placement/scheduler.h"
#include "brain/workloads/queue.h"
#include "foundation/base/result.h"
#include "hosts/simulator/plan.h"
#include "hosts/simulator/queued_jobs.h"
#include "hosts/simulator/simulated_pods.h"
#include "hosts/simulator/simulation.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// A plan that was made, and the cluster as it left it, for further questions. `objects` must outlive it.
class Planning {
 public:
  /// make_plan() that keeps what it worked on. Errors: those of make_plan().
  static Result<std::unique_ptr<Planning>> make(const kube::Objects& objects,
                                                const kube::SchedulerConfiguration& configuration,
                                                const PlanOptions& options);
  Planning(const Planning&) = delete;
  Planning& operator=(const Planning&) = delete;

  /// What was decided, described from scratch: O(pods).
  [[nodiscard]] Plan plan() const;
  /// The same of one pod.
  [[nodiscard]] PlannedPod planned(std::size_t subject) const;
  /// The planned start that a pod which waits would move, alone or with its group: see PlannedPod::held_by. Nothing: it
  /// is not held.
  [[nodiscard]] std::optional<StartPlan> holding_start(std::size_t subject) const;
  /// The same of the pod groups: O(pods).
  [[nodiscard]] std::vector<PlannedGroup> groups() const;

  /// What the plan was made of.
  [[nodiscard]] const kube::Objects& input() const { return input_; }
  /// The same; but jobs that queues decide about are as they have come to be.
  [[nodiscard]] const kube::Objects& objects() const { return objects_; }
  [[nodiscard]] const kube::SchedulerConfiguration& configuration() const { return configuration_; }
  [[nodiscard]] const PlanOptions& options() const { return options_; }
  [[nodiscard]] const SimulatedPods& pods() const { return *pods_; }
  /// What controllers made on the way to the pods: ReplicaSets, Services, PodGroups.
  [[nodiscard]] const kube::Objects& made() const { return made_; }
  /// Groups of the input, with the minimums that their workloads ask for by now.
  [[nodiscard]] const kube::Objects& revised() const { return revised_; }
  /// Objects other than pods that admission refused.
  [[nodiscard]] const std::vector<RefusedObject>& refused() const { return refused_; }
  [[nodiscard]] const ReservedRoom& room() const { return simulation_->room(); }
  /// Jobs that Kueue's queues decide about; null: the input has no such queues.
  [[nodiscard]] const QueuedJobs* queued() const { return queued_ ? &*queued_ : nullptr; }
  /// How many replacements were given names: PlanOptions::replacements of a plan that goes on from here.
  [[nodiscard]] std::uint64_t replacements() const { return simulation_->replacements(); }
  /// With what groups have started: PlanOptions::starts of a plan that goes on from here.
  [[nodiscard]] std::vector<KnownStart> starts() const;
  /// What the scheduler says about a pod that is no part of the plan, in the cluster as it stands. The cluster is
  /// unchanged afterwards.
  struct Answer {
    placement::Decision decision;
    bool may_stay = true;  ///< false: a NoExecute taint would evict it from the node some time
  };
  Answer ask_about(const kube::Pod& pod);
  /// Every detail of the decision about a pod that waits, or of where one that is on a node would go now.
  placement::Examination examine(std::size_t subject);

  /// The last decision about the watched pod, as it was made; null if there was none.
  [[nodiscard]] const WatchedDecision* watched() const;

  /// The scheduler and its model. A caller that changes something tentatively puts it back before the next question.
  [[nodiscard]] cluster::Cluster& cluster() { return cluster_; }
  [[nodiscard]] const cluster::Cluster& cluster() const { return cluster_; }
  [[nodiscard]] placement::Scheduler& scheduler() { return simulation_->scheduler(); }
  [[nodiscard]] engine::Dispatcher& dispatcher() { return simulation_->dispatcher(); }
  [[nodiscard]] const admission::Admission& admission() const { return admission_; }
  /// Whether the policy lets these not leave as they are for a pod of the priority: a group would be broken up.
  [[nodiscard]] bool breaks_up_groups(std::span<const cluster::PodId> victims, std::int32_t priority) const;

 private:
  Planning(const kube::Objects& input, const kube::Objects& objects, const kube::SchedulerConfiguration& configuration,
           const PlanOptions& options);
  [[nodiscard]] std::string undecided(const workloads::NamedQueue& queue,
                                      const workloads::WorkloadReference& workload) const;

  const kube::Objects& input_;
  std::unique_ptr<kube::Objects> own_objects_;  // in which jobs are held and started; null: queues decide nothing
  const kube::Objects& objects_;
  kube::SchedulerConfiguration configuration_;
  PlanOptions options_;
  cluster::Cluster cluster_;
  admission::Admission admission_;
  workloads::Queues queues_;
  std::optional<QueuedJobs> queued_;
  std::shared_ptr<SimulatedPods> pods_ = std::make_shared<SimulatedPods>();
  std::optional<Simulation> simulation_;
  kube::Objects made_;
  kube::Objects revised_;
  std::vector<RefusedObject> refused_;
  std::vector<WorkloadName> workloads_;
  Diagnostics notes_;
};

}  // namespace loadline::simulator

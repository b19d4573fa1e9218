#include "brain/queue/kueue/kueue_line.h"

#include <utility>

#include "foundation/base/contract.h"

namespace loadline::queue::kueue {

using decision::WorkloadStage;

KueueLine::KueueLine(cluster::Cluster& cluster, decision::QueuedWorkloads& workloads, Settings settings,
                     const kube::KueueResources& resources)
    : scheduler_(tree_, std::move(settings), resources), workloads_(workloads) {
  cluster.attach(tree_);
}

decision::WorkloadId KueueLine::submit(const kube::KueueWorkload& object, Instant now) {
  const WorkloadId id = scheduler_.submit(object, now);
  const auto known = queued_of_.find(id);
  if (known != queued_of_.end()) {
    REQUIRES(workloads_.at(known->second).stage != WorkloadStage::kAdmitted);
    checks_.erase(known->second);
    if (workloads_.at(known->second).stage != WorkloadStage::kPending) {
      workloads_.advance(known->second, WorkloadStage::kPending);
    }
    return known->second;
  }
  std::vector<decision::PodSet> sets;
  for (const kube::PodSet& set : object.pod_sets) {
    sets.push_back({set.name, set.template_.spec, set.count, set.min_count.value_or(set.count)});
  }
  const decision::WorkloadId queued = workloads_.open(std::move(sets));
  queued_of_.emplace(id, queued);
  kueue_of_.emplace(queued, id);
  return queued;
}

void KueueLine::decide_round(decision::Doors&, Instant now) {
  rounds_.push_back(scheduler_.decide_round(now));
  for (const Decision& decision : rounds_.back().decisions) {
    if (decision.code == Decision::Code::kAdmitted) reserve(decision);
    for (const Victim& victim : decision.evicted) {
      const decision::WorkloadId leaving = queued_of_.at(victim.workload);
      if (workloads_.at(leaving).lets_start()) workloads_.advance(leaving, WorkloadStage::kLeaving);
    }
  }
}

void KueueLine::reserve(const Decision& decision) {
  const decision::WorkloadId queued = queued_of_.at(decision.workload);
  workloads_.advance(queued, WorkloadStage::kReserved);
  std::vector<FlavorId> flavors;
  for (const PodSetAdmission& set : scheduler_.workloads().at(decision.workload).admission) {
    for (const auto& [resource, flavor] : set.flavors) flavors.push_back(flavor);
  }
  const QueueId queue = scheduler_.workloads().at(decision.workload).queue;
  for (const std::string& check : scheduler_.queues().checks_for(queue, flavors)) checks_[queued].insert(check);
  admit_if_checked(queued);
}

void KueueLine::pass_check(decision::WorkloadId workload, std::string_view check) {
  const auto left = checks_.find(workload);
  if (left == checks_.end()) return;
  const auto found = left->second.find(check);
  if (found != left->second.end()) left->second.erase(found);
  admit_if_checked(workload);
}

void KueueLine::admit_if_checked(decision::WorkloadId workload) {
  const auto left = checks_.find(workload);
  const bool has_checks = left != checks_.end() && !left->second.empty();
  if (has_checks || scheduler_.workloads().at(kueue_of_.at(workload)).is_evicted) return;
  checks_.erase(workload);
  workloads_.advance(workload, WorkloadStage::kChecked);
  workloads_.advance(workload, WorkloadStage::kAdmitted);
}

void KueueLine::ask_to_leave(decision::WorkloadId workload) {
  scheduler_.mark_evicted(kueue_of_.at(workload));
  workloads_.advance(workload, WorkloadStage::kLeaving);
}

void KueueLine::finish(decision::WorkloadId workload, Instant now) {
  const WorkloadId id = kueue_of_.at(workload);
  scheduler_.remove(id, now);
  queued_of_.erase(id);
  kueue_of_.erase(workload);
  checks_.erase(workload);
  workloads_.advance(workload, WorkloadStage::kFinished);
}

}  // namespace loadline::queue::kueue

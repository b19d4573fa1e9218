#include "brain/queue/kueue/kueue_line.h"

#include <utility>

#include "foundation/base/contract.h"
#include "objects/kube/kueue/workload_conditions.h"

namespace loadline::queue::kueue {

using decision::WorkloadStage;

KueueLine::KueueLine(cluster::Cluster& cluster, decision::QueuedWorkloads& workloads, Settings settings,
                     const kube::KueueResources& resources)
    : cluster_(cluster), scheduler_(tree_, std::move(settings), resources), workloads_(workloads) {
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
  return open(object, id);
}

decision::WorkloadId KueueLine::open(const kube::KueueWorkload& object, WorkloadId id) {
  std::vector<decision::PodSet> sets;
  for (const kube::PodSet& set : object.pod_sets) {
    sets.push_back({set.name, set.template_.spec, set.count, set.min_count.value_or(set.count)});
  }
  const decision::WorkloadId queued = workloads_.open(std::move(sets));
  queued_of_.emplace(id, queued);
  kueue_of_.emplace(queued, id);
  return queued;
}

void KueueLine::close(WorkloadId id) {
  const auto found = queued_of_.find(id);
  if (found == queued_of_.end()) return;
  const decision::WorkloadId queued = found->second;
  queued_of_.erase(found);
  kueue_of_.erase(queued);
  checks_.erase(queued);
  workloads_.advance(queued, WorkloadStage::kFinished);
  if (workloads_.at(queued).waiting.empty()) workloads_.close(queued);
}

void KueueLine::set(const kube::KueueWorkload& object, Instant now) {
  const std::string name = object.metadata.namespace_ + "/" + object.metadata.name;
  const WorkloadId before = scheduler_.workloads().find(name);
  scheduler_.set(object, now);
  const WorkloadId id = scheduler_.workloads().find(name);
  if (!id.valid()) return close(before);
  const auto known = queued_of_.find(id);
  const decision::WorkloadId queued = known == queued_of_.end() ? open(object, id) : known->second;
  const Workload& workload = scheduler_.workloads().at(id);
  WorkloadStage stage = WorkloadStage::kPending;
  if (workload.has_quota) {
    stage = WorkloadStage::kReserved;
    if (kube::is_admitted(object)) stage = workload.is_evicted ? WorkloadStage::kLeaving : WorkloadStage::kAdmitted;
  }
  checks_.erase(queued);
  bring_to(queued, stage);
}

void KueueLine::remove(std::string_view name_space, std::string_view name, Instant now) {
  const WorkloadId id = scheduler_.workloads().find(std::string(name_space) + "/" + std::string(name));
  if (!id.valid()) return;
  scheduler_.remove(id, now);
  close(id);
}

/// By stages that may follow each other: an object need not have been seen in between.
void KueueLine::bring_to(decision::WorkloadId workload, WorkloadStage wanted) {
  const auto stage = [&] { return workloads_.at(workload).stage; };
  if (stage() == wanted) return;
  const bool goes_on = wanted == WorkloadStage::kAdmitted || wanted == WorkloadStage::kLeaving;
  if (!goes_on || !may_follow(stage(), wanted)) {
    if (stage() == WorkloadStage::kAdmitted) workloads_.advance(workload, WorkloadStage::kLeaving);
    if (stage() != WorkloadStage::kPending) workloads_.advance(workload, WorkloadStage::kPending);
    if (wanted == WorkloadStage::kPending) return;
    workloads_.advance(workload, WorkloadStage::kReserved);
    if (wanted == WorkloadStage::kReserved) return;
    if (wanted == WorkloadStage::kLeaving) workloads_.advance(workload, WorkloadStage::kAdmitted);
  }
  workloads_.advance(workload, wanted);
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

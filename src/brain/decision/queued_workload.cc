#include "brain/decision/queued_workload.h"

#include <utility>

#include "foundation/base/contract.h"

namespace loadline::decision {

bool may_follow(WorkloadStage before, WorkloadStage after) {
  switch (after) {
    case WorkloadStage::kPending:  // a check refused it, or it was evicted and its pods are gone
      return before != WorkloadStage::kPending && before != WorkloadStage::kAdmitted;
    case WorkloadStage::kReserved:
      return before == WorkloadStage::kPending;
    case WorkloadStage::kChecked:
      return before == WorkloadStage::kReserved;
    case WorkloadStage::kAdmitted:
      return before == WorkloadStage::kReserved || before == WorkloadStage::kChecked;
    case WorkloadStage::kLeaving:
      return before == WorkloadStage::kAdmitted;
    case WorkloadStage::kFinished:
      return before != WorkloadStage::kFinished;
  }
  return false;
}

WorkloadId QueuedWorkloads::open(std::vector<PodSet> pod_sets) {
  const WorkloadId id{opened_++};
  workloads_[id].pod_sets = std::move(pod_sets);
  return id;
}

void QueuedWorkloads::close(WorkloadId id) {
  REQUIRES(at(id).waiting.empty());
  workloads_.erase(id);
}

void QueuedWorkloads::advance(WorkloadId id, WorkloadStage stage) {
  QueuedWorkload& workload = workloads_.at(id);
  REQUIRES(may_follow(workload.stage, stage));
  const bool did_let_start = workload.lets_start();
  workload.stage = stage;
  if (workload.lets_start() != did_let_start) tell_(workload);
}

}  // namespace loadline::decision

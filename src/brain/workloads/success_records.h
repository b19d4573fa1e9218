#pragma once

#include <string_view>
#include <vector>

#include "brain/cluster/ledgers/finished_members.h"
#include "brain/cluster/spellings/membership.h"
#include "brain/workloads/training_job.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/jobset/job_set.h"
#include "objects/kube/objects.h"
#include "objects/kube/scheduling/pod_group.h"
#include "objects/kube/volcano/volcano_job.h"

namespace loadline::workloads {

// Members of groups that have succeeded count towards the minimum, also when their pods are deleted: then the status of
// the workload that made them says how many there were.
//
//   Job           completedIndexes of an Indexed one, else succeeded, with what is not counted yet
//   JobSet        its Jobs say it; replicatedJobsStatus.succeeded for those that are not there
//   Kubeflow's    replicaStatuses[role].succeeded
//   Volcano's     taskStatusCount[task].phase.Succeeded

/// A pod that has succeeded, as its group counts it.
[[nodiscard]] cluster::SucceededPod succeeded_pod(const kube::Pod& pod);

/// What a workload has on record of a group.
struct GroupRecord {
  cluster::spellings::GroupKey group;
  cluster::SuccessRecord record;
};
using GroupRecords = std::vector<GroupRecord>;

/// The objects around a workload from which it follows what its pods' group is. Null: there is none.
class GroupSurroundings {
 public:
  GroupSurroundings() = default;
  GroupSurroundings(const GroupSurroundings&) = default;
  GroupSurroundings& operator=(const GroupSurroundings&) = default;
  virtual ~GroupSurroundings() = default;

  [[nodiscard]] virtual const kube::JobSet* job_set(std::string_view name_space, std::string_view name) const = 0;
  [[nodiscard]] virtual const kube::PodGroup* pod_group(std::string_view name_space, std::string_view name) const = 0;
  /// The PodGroup that the Job controls.
  [[nodiscard]] virtual const kube::PodGroup* gang_of(const kube::Job& job) const = 0;
};

/// What the workload says, of roles of which some have succeeded. O(roles), and of a JobSet's Job the JobSet's parts.
[[nodiscard]] GroupRecords success_records(const kube::Job& job, const GroupSurroundings& around);
[[nodiscard]] GroupRecords success_records(const TrainingView& job, const GroupSurroundings& around);
[[nodiscard]] GroupRecords success_records(const kube::VolcanoJob& job, const GroupSurroundings& around);
template <kube::Framework kFramework>
[[nodiscard]] GroupRecords success_records(const kube::TrainingJob<kFramework>& job, const GroupSurroundings& around) {
  return success_records(TrainingView(job), around);
}

/// Calls `visit.operator()<Kind>()` for the kinds that say it.
template <class Visit>
void for_each_recording_kind(Visit visit) {
  const auto visit_each = [&]<class... Kinds>() { (visit.template operator()<Kinds>(), ...); };
  visit_each.template operator()<kube::Job, kube::PyTorchJob, kube::TensorFlowJob, kube::XgBoostJob, kube::PaddleJob,
                                 kube::JaxJob, kube::MpiJob, kube::VolcanoJob>();
}

/// What all workloads among the objects say. O(objects of these kinds).
[[nodiscard]] GroupRecords success_records(const kube::Objects& objects);

}  // namespace loadline::workloads

// The part of QueuedJobs about pods that wait without a job.
#include <algorithm>
#include <memory>
#include <utility>

#include "foundation/base/contract.h"
#include "hosts/simulator/queued_jobs.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/workload_conditions.h"

namespace loadline::simulator {

namespace kueue = queue::kueue;

/// A Workload of the input that pods own: its members are told as they come.
void QueuedJobs::note_pods_of(const kube::KueueWorkload& workload) {
  const std::size_t index = jobs_.size();
  bool has_pods = false;
  for (const kube::OwnerReference& owner : workload.metadata.owner_references) {
    if (owner.kind != kPodKind) continue;
    by_pod_[{workload.metadata.namespace_, owner.name}] = index;
    has_pods = true;
  }
  if (!has_pods) return;
  QueuedJob& job = jobs_.emplace_back();
  job.name = {std::string(kPodKind), workload.metadata.namespace_, workload.metadata.owner_references.front().name};
  job.bundle.emplace();
  job.bundle->workload = workload.metadata.name;
  job.bundle->name = job.name;
  job.bundle->queue = workload.queue_name;
  job.bundle->expected = 0;
  job.workload = workload;
  job.stage = kube::is_admitted(workload) && !kube::is_evicted(workload) ? QueuedStage::kStarted
              : kube::has_quota_reservation(workload)                    ? QueuedStage::kReserved
                                                                         : QueuedStage::kWaiting;
  job.id = scheduler_.workloads().find(workload.metadata.namespace_ + "/" + workload.metadata.name);
  if (job.id.valid()) by_id_[job.id] = index;
}

std::size_t QueuedJobs::bundle_at(PodBundle bundle) {
  const std::size_t index = jobs_.size();
  if (!bundle.workload.empty()) {
    const auto [found, is_new] = open_bundles_.try_emplace({bundle.name.namespace_, bundle.workload}, index);
    if (!is_new) return found->second;
  }
  QueuedJob& job = jobs_.emplace_back();
  job.name = bundle.name;
  job.bundle = std::move(bundle);
  job.stage = QueuedStage::kHeld;
  incomplete_.push_back(index);
  return index;
}

bool QueuedJobs::holds_pod(std::size_t subject, const SimulatedPod& pod) {
  const kube::ObjectMeta& metadata = pod.pod.metadata;
  if (find(pod.workload)) return false;  // its job is held, and it with it
  if (const auto known = by_subject_.find(subject); known != by_subject_.end()) {
    return jobs_[known->second].stage != QueuedStage::kStarted;
  }
  if (const auto owned = by_pod_.find({metadata.namespace_, metadata.name}); owned != by_pod_.end()) {
    jobs_[owned->second].members.push_back(subject);
    by_subject_[subject] = owned->second;
    return jobs_[owned->second].stage != QueuedStage::kStarted;
  }
  std::optional<PodBundle> bundle = queued_pods_.bundle_of(pod.pod, pod.workload);
  if (!bundle) return false;
  const std::size_t index = bundle_at(*std::move(bundle));
  jobs_[index].members.push_back(subject);
  by_subject_[subject] = index;
  return true;
}

void QueuedJobs::adopt_pod(std::size_t subject, const SimulatedPod& pod) {
  const auto owned = by_pod_.find({pod.pod.metadata.namespace_, pod.pod.metadata.name});
  if (owned == by_pod_.end()) return;
  jobs_[owned->second].members.push_back(subject);
  jobs_[owned->second].has_released = true;
  by_subject_[subject] = owned->second;
}

void QueuedJobs::submit_pods(const SimulatedPods& pods, Instant now) {
  for (const std::size_t index : std::exchange(incomplete_, {})) {
    QueuedJob& job = jobs_[index];
    if (job.members.size() < job.bundle->expected) {
      incomplete_.push_back(index);
      continue;
    }
    std::vector<const kube::Pod*> members;
    for (const std::size_t member : job.members) members.push_back(&pods[member].pod);
    const kube::ObjectMeta& first = members.front()->metadata;
    open_bundles_.erase({job.name.namespace_, job.bundle->workload});
    job.workload = QueuedPods::workload_of(*job.bundle, members);
    job.workload.metadata.uid = first.uid.empty() ? std::to_string(1'000'000'000 + index) : first.uid;
    job.workload.metadata.creation_timestamp = first.creation_timestamp.value_or(now);
    kube::ObjectMeta labelled = first;
    if (const std::string& name = job.bundle->priority_class; !name.empty()) {
      labelled.labels.insert_or_assign(std::string(kube::kWorkloadPriorityClassLabel), name);
    }
    std::string missing;
    const auto priority = kueue::priority_of(labelled, {}, job.workload.pod_sets, *priorities_, missing);
    if (!priority) {
      job.why = "its priority class \"" + missing + "\" is not there, so that Kueue makes no Workload of it";
      continue;
    }
    job.workload.priority = priority->value;
    job.workload.priority_class_name = priority->class_name;
    job.workload.priority_class_source = priority->source;
    job.stage = QueuedStage::kWaiting;
    job.id = scheduler_.submit(job.workload, now);
    by_id_[job.id] = index;
  }
}

kube::Pod QueuedJobs::released(std::size_t index, const kube::Pod& pod) const {
  const QueuedJob& job = jobs_[index];
  REQUIRES(job.bundle.has_value());
  const auto infos = infos_of(job);
  kube::Pod free = pod;
  auto spec = std::make_shared<kube::PodSpec>(*pod.spec);
  std::erase(spec->scheduling_gates, kube::kAdmissionGate);
  free.spec = std::move(spec);
  if (!infos) return free;
  const std::string set =
      job.workload.pod_sets.size() == 1 ? job.workload.pod_sets.front().name : QueuedPods::pod_set_of(*job.bundle, pod);
  const auto info = std::ranges::find(*infos, set, &kueue::PodSetInfo::name);
  if (info == infos->end()) return free;
  kube::PodTemplateSpec template_of_pod;
  template_of_pod.metadata = free.metadata;
  template_of_pod.spec = free.spec;
  if (Result<kube::PodTemplateSpec> merged = kueue::merged(template_of_pod, *info)) {
    free.metadata = merged->metadata;
    free.spec = merged->spec;
  }
  return free;
}

}  // namespace loadline::simulator

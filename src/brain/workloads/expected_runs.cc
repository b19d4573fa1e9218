#include "brain/workloads/expected_runs.h"

#include <string>
#include <utility>
#include <vector>

#include "brain/workloads/job_set.h"
#include "brain/workloads/kinds.h"
#include "objects/kube/expected_run.h"

namespace loadline::workloads {
namespace {

/// Controllers of controllers; what refers to itself in a circle ends here.
constexpr int kMostControllers = 8;

std::optional<WorkloadReference> referred_controller(const kube::ObjectMeta& metadata) {
  const kube::OwnerReference* controller = metadata.controller();
  if (controller == nullptr) return std::nullopt;
  return WorkloadReference{std::string(kind_of(*controller)), metadata.namespace_, controller->name};
}

std::vector<WorkloadReference> owners_of(const kube::ObjectMeta& metadata) {
  std::vector<WorkloadReference> owners;
  for (const kube::OwnerReference& owner : metadata.owner_references) {
    owners.push_back({std::string(kind_of(owner)), metadata.namespace_, owner.name});
  }
  return owners;
}

// How long each pod of a workload is expected to run, as far as the workload says it. Bounds count from the start of
// the workload, which is not later than that of its pods.

std::optional<Duration> run_of(const kube::Job& job) {
  return kube::expected_run(job.metadata, job.spec.active_deadline_seconds);
}

std::optional<Duration> run_of(const kube::JobSet& set) {
  return kube::expected_run(set.metadata, std::optional<Duration>());
}

template <kube::Framework kFramework>
std::optional<Duration> run_of(const kube::TrainingJob<kFramework>& job) {
  return kube::expected_run(job.metadata, job.spec.run_policy.active_deadline_seconds);
}

std::optional<Duration> run_of(const kube::RayCluster& cluster) {
  return kube::expected_run(cluster.metadata, std::optional<Duration>());
}

std::optional<Duration> run_of(const kube::RayJob& job) {
  std::optional<std::int64_t> deadline;
  if (job.spec.active_deadline_seconds) deadline = *job.spec.active_deadline_seconds;
  return kube::expected_run(job.metadata, deadline);
}

std::optional<Duration> run_of(const kube::VolcanoJob& job) {
  return kube::expected_run(job.metadata, job.running_estimate);
}

}  // namespace

ExpectedRuns::ExpectedRuns(const kube::Objects& objects) {
  // Jobs that are there say more than the template that they were made of.
  for (const kube::JobSet& set : objects.of<kube::JobSet>()) add_jobs_of(set);
  for_each_ending_kind([&]<class Kind>() {
    for (const Kind& workload : objects.of<Kind>()) set(workload);
  });
  for (const kube::KueueWorkload& bound : objects.of<kube::KueueWorkload>()) renew_bound(nullptr, &bound);
}

void ExpectedRuns::add_jobs_of(const kube::JobSet& set) {
  const WorkloadReference self{"JobSet", set.metadata.namespace_, set.metadata.name};
  for (const kube::ReplicatedJob& replicated_job : set.replicated_jobs) {
    const std::optional<Duration> span =
        kube::expected_run(replicated_job.job_metadata, replicated_job.job_spec.active_deadline_seconds);
    for (std::int64_t index = 0; index < replicated_job.replicas; ++index) {
      this->set({"Job", self.namespace_, JobOfSet{set, replicated_job, index}.name()}, {span, self});
    }
  }
}

template <class Kind>
bool ExpectedRuns::set(const Kind& workload) {
  const kube::ObjectMeta& metadata = workload.metadata;
  return set({std::string(kind_name<Kind>()), metadata.namespace_, metadata.name},
             {run_of(workload), referred_controller(metadata)});
}

template bool ExpectedRuns::set(const kube::Job&);
template bool ExpectedRuns::set(const kube::JobSet&);
template bool ExpectedRuns::set(const kube::PyTorchJob&);
template bool ExpectedRuns::set(const kube::TensorFlowJob&);
template bool ExpectedRuns::set(const kube::XgBoostJob&);
template bool ExpectedRuns::set(const kube::PaddleJob&);
template bool ExpectedRuns::set(const kube::JaxJob&);
template bool ExpectedRuns::set(const kube::MpiJob&);
template bool ExpectedRuns::set(const kube::RayCluster&);
template bool ExpectedRuns::set(const kube::RayJob&);
template bool ExpectedRuns::set(const kube::VolcanoJob&);

bool ExpectedRuns::set(const WorkloadReference& workload, Entry entry) {
  if (entry == Entry{}) return remove(workload);
  const auto [found, is_new] = entries_.try_emplace(workload);
  if (found->second == entry) return false;
  if (found->second.controller) controlled_[*found->second.controller].erase(workload);
  if (entry.controller) controlled_[*entry.controller].insert(workload);
  found->second = std::move(entry);
  return true;
}

bool ExpectedRuns::remove(const WorkloadReference& workload) {
  const auto found = entries_.find(workload);
  if (found == entries_.end()) return false;
  if (const std::optional<WorkloadReference>& controller = found->second.controller) {
    const auto siblings = controlled_.find(*controller);
    siblings->second.erase(workload);
    if (siblings->second.empty()) controlled_.erase(siblings);
  }
  entries_.erase(found);
  return true;
}

std::vector<WorkloadReference> ExpectedRuns::renew_bound(const kube::KueueWorkload* before,
                                                         const kube::KueueWorkload* after) {
  std::map<WorkloadReference, std::optional<Duration>> wanted;
  if (before != nullptr) {
    for (WorkloadReference& owner : owners_of(before->metadata)) wanted[std::move(owner)] = std::nullopt;
  }
  if (after != nullptr && after->maximum_execution_time_seconds.value_or(0) > 0) {
    const Duration bound = Duration::seconds(*after->maximum_execution_time_seconds);
    for (WorkloadReference& owner : owners_of(after->metadata)) wanted[std::move(owner)] = bound;
  }
  std::vector<WorkloadReference> changed;
  for (const auto& [owner, bound] : wanted) {
    const auto found = bounds_.find(owner);
    if (bound == (found == bounds_.end() ? std::nullopt : std::optional(found->second))) continue;
    changed.push_back(owner);
    if (bound) {
      bounds_.insert_or_assign(owner, *bound);
    } else {
      bounds_.erase(found);
    }
  }
  return changed;
}

std::optional<Duration> ExpectedRuns::of(const WorkloadReference& workload) const {
  const WorkloadReference* at = &workload;
  for (int level = 0; level < kMostControllers; ++level) {
    const auto found = entries_.find(*at);
    if (found != entries_.end() && found->second.span) return found->second.span;
    if (const auto bound = bounds_.find(*at); bound != bounds_.end()) return bound->second;
    if (found == entries_.end() || !found->second.controller) return std::nullopt;
    at = &*found->second.controller;
  }
  return std::nullopt;
}

std::optional<Duration> ExpectedRuns::of(const kube::ObjectMeta& pod) const {
  return of(referred_controller(pod).value_or(WorkloadReference{"Pod", pod.namespace_, pod.name}));
}

std::optional<Duration> ExpectedRuns::of(const kube::ObjectMeta& pod, const WorkloadReference& top) const {
  const std::optional<Duration> said = of(pod);
  return said ? said : of(top);
}

std::vector<WorkloadReference> ExpectedRuns::with_controlled(const WorkloadReference& workload) const {
  std::vector<WorkloadReference> all = {workload};
  std::size_t next = 0;
  for (int level = 0; level < kMostControllers && next < all.size(); ++level) {
    for (const std::size_t end = all.size(); next < end; ++next) {
      const auto found = controlled_.find(all[next]);
      if (found != controlled_.end()) all.insert(all.end(), found->second.begin(), found->second.end());
    }
  }
  return all;
}

}  // namespace loadline::workloads

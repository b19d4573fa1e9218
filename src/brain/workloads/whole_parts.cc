#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

#include "brain/workloads/gang_workloads.h"
#include "brain/workloads/job_set.h"
#include "brain/workloads/leader_worker_set.h"
#include "brain/workloads/pod_set.h"
#include "brain/workloads/ray_cluster.h"
#include "objects/kube/scalars.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

/// "jobset-train", "leaderworkerset-serve-0".
std::string name_of_group(std::string_view kind, std::string_view workload, std::string_view part = {}) {
  return fmt::format("{}-{}{}{}", kube::lower_case(kind), workload, part.empty() ? "" : "-", part);
}

std::int32_t pods_in(const PodSets& sets) {
  return static_cast<std::int32_t>(std::accumulate(
      sets.begin(), sets.end(), std::int64_t{0}, [](std::int64_t sum, const PodSet& set) { return sum + set.count; }));
}

/// The part of that name, if the workload has it.
std::optional<WholePart> find_part(const std::vector<WholePart>& parts, const std::string& group) {
  const auto found = std::ranges::find(parts, group, &WholePart::group);
  if (found == parts.end()) return std::nullopt;
  return *found;
}

/// A part of which none has to start is none: no PodGroup may have a minimum of 0.
std::vector<WholePart> with_members(std::vector<WholePart> parts) {
  std::erase_if(parts, [](const WholePart& part) { return part.min_count < 1; });
  return parts;
}

// ---- JobSets --------------------------------------------------------------------------------------------------------

/// Whether some of its Jobs are created only once others are ready, or are over.
bool starts_by_turns(const kube::JobSet& set) {
  return set.starts_in_order ||
         std::ranges::any_of(set.replicated_jobs, [](const auto& job) { return !job.depends_on.empty(); });
}

/// The pods of a replicated job that are created before any has a node.
std::int32_t first_pods(const kube::JobSet& set, const kube::ReplicatedJob& job, const PodSet& pods) {
  const JobOfSet first{set, job, 0};
  const bool follows_its_first_pod = !first.exclusive_topology().empty() && !first.selects_labelled_nodes();
  return static_cast<std::int32_t>(follows_its_first_pod ? std::min<std::int64_t>(job.replicas, pods.count)
                                                         : pods.count);
}

}  // namespace

std::vector<WholePart> whole_parts(const kube::JobSet& set) {
  const PodSets pods = pod_sets(set);
  std::vector<WholePart> parts;
  for (std::size_t i = 0; i < set.replicated_jobs.size(); ++i) {
    const kube::ReplicatedJob& job = set.replicated_jobs[i];
    const bool is_apart = starts_by_turns(set);
    if (is_apart || parts.empty()) {
      parts.push_back({name_of_group("JobSet", set.metadata.name, is_apart ? job.name : std::string()), 0, {}});
    }
    parts.back().min_count += first_pods(set, job, pods[i]);
  }
  return with_members(std::move(parts));
}

std::optional<WholePart> whole_part_of(const kube::JobSet& set, const kube::ObjectMeta& pod) {
  const auto job = pod.labels.find(kube::kReplicatedJobName);
  if (job == pod.labels.end()) return std::nullopt;
  return find_part(whole_parts(set),
                   name_of_group("JobSet", set.metadata.name, starts_by_turns(set) ? job->second : std::string()));
}

// ---- LeaderWorkerSets -----------------------------------------------------------------------------------------------

namespace {

WholePart part_of_group(const kube::LeaderWorkerSet& set, std::string_view group) {
  const bool leader_goes_first = set.waits_for_leader || !exclusive_topology(set).empty();
  return {name_of_group("LeaderWorkerSet", set.metadata.name, group), leader_goes_first ? 1 : set.size, {}};
}

}  // namespace

std::vector<WholePart> whole_parts(const kube::LeaderWorkerSet& set) {
  std::vector<WholePart> parts;
  for (std::int32_t group = 0; group < set.replicas; ++group) {
    parts.push_back(part_of_group(set, std::to_string(group)));
  }
  return parts;
}

/// Groups beyond the replicas, by which a rollout goes ahead, start pod by pod.
std::optional<WholePart> whole_part_of(const kube::LeaderWorkerSet& set, const kube::ObjectMeta& pod) {
  const auto label = pod.labels.find(kube::kLwsGroupIndex);
  if (label == pod.labels.end()) return std::nullopt;
  std::int32_t group = 0;
  const char* const end = label->second.data() + label->second.size();
  if (std::from_chars(label->second.data(), end, group).ptr != end || group >= set.replicas) return std::nullopt;
  return part_of_group(set, label->second);
}

// ---- training jobs --------------------------------------------------------------------------------------------------

namespace {

/// So many of the role's pods the job begins with. The workers of an elastic job come and go as there is room for them,
/// down to a least number.
std::int64_t least_of_role(const TrainingView& job, const TrainingRole& role) {
  const bool is_elastic = job.spec.elastic && job.spec.elastic->min_replicas && role.label() == "worker";
  return is_elastic ? std::min<std::int64_t>(role.count(), *job.spec.elastic->min_replicas) : role.count();
}

}  // namespace

/// A minimum that its author wrote is no more than the pods that there are to be: who scales the job down means that.
std::vector<WholePart> whole_parts(const TrainingView& job) {
  WholePart part{name_of_group(rules_of(job.framework).kind, job.metadata.name), 0, {}};
  std::int64_t all = 0;
  for (const TrainingRole& role : roles_of(job)) {
    all += role.count();
    const bool comes_later = role.label() == "launcher" && job.spec.launcher_creation_policy == "WaitForWorkersReady";
    if (!comes_later) part.min_count += static_cast<std::int32_t>(least_of_role(job, role));
  }
  if (const auto& policy = job.spec.run_policy.scheduling_policy; policy) {
    if (policy->min_available) {
      part.min_count = static_cast<std::int32_t>(std::min<std::int64_t>(*policy->min_available, all));
    }
    part.priority_class = policy->priority_class;
  }
  return with_members({part});
}

std::optional<WholePart> whole_part_of(const TrainingView& job, const kube::ObjectMeta& pod) {
  if (!pod.labels.contains(kube::kTrainingJobName)) return std::nullopt;
  return find_part(whole_parts(job), name_of_group(rules_of(job.framework).kind, job.metadata.name));
}

// ---- Ray clusters ---------------------------------------------------------------------------------------------------

/// Where Ray's autoscaler sets the replicas, the cluster begins with the least that it may set. Source: kuberay v1.5,
/// ray-operator/controllers/ray/batchscheduler/volcano.
std::vector<WholePart> whole_parts(const kube::RayCluster& cluster) {
  std::int32_t pods = pods_in(pod_sets(cluster));
  if (cluster.spec.has_autoscaler) {
    pods = 1;
    for (const kube::RayWorkerGroup& group : cluster.spec.worker_groups) {
      pods += static_cast<std::int32_t>(least_workers(group));
    }
  }
  return with_members({{name_of_group("RayCluster", cluster.metadata.name), pods, {}}});
}

/// The pod that submits a job is none of the cluster.
std::optional<WholePart> whole_part_of(const kube::RayCluster& cluster, const kube::ObjectMeta& pod) {
  if (!pod.labels.contains(kube::kRayCluster) || !pod.labels.contains(kube::kRayNode)) return std::nullopt;
  return find_part(whole_parts(cluster), name_of_group("RayCluster", cluster.metadata.name));
}

// ---- what all have in common ----------------------------------------------------------------------------------------

bool is_marked_whole(const kube::ObjectMeta& workload) {
  const auto mark = workload.annotations.find(kStartsWhole);
  return mark != workload.annotations.end() && mark->second == "true";
}

kube::PodGroup group_of_part(const kube::KindInfo& kind, const kube::ObjectMeta& workload, const WholePart& part) {
  kube::PodGroup group;
  group.metadata.name = part.group;
  group.metadata.namespace_ = workload.namespace_;
  group.metadata.owner_references = {
      {std::string(kind.api_version), std::string(kind.kind), workload.name, workload.uid, true}};
  group.metadata.source = workload.source;
  group.policy.min_count = part.min_count;
  group.priority_class_name = part.priority_class;
  return group;
}

std::optional<kube::PodGroup> revised(const kube::PodGroup& group, const WholePart& part) {
  if (group.policy.is_basic || group.policy.min_count == part.min_count) return std::nullopt;
  kube::PodGroup now = group;
  now.policy.min_count = part.min_count;
  now.metadata.generation = std::max<std::int64_t>(now.metadata.generation, 1) + 1;
  for (kube::MetaCondition& condition : now.conditions) {
    condition.observed_generation = std::max<std::int64_t>(condition.observed_generation, 1);
  }
  return now;
}

}  // namespace loadline::workloads

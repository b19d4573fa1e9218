#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "brain/workloads/gang_workloads.h"
#include "brain/workloads/job_set.h"
#include "brain/workloads/leader_worker_set.h"
#include "brain/workloads/pod_set.h"
#include "brain/workloads/ray_cluster.h"
#include "brain/workloads/saturated.h"
#include "objects/kube/scalars.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {

using cluster::spellings::WrittenPart;

namespace {

/// "jobset-train", "leaderworkerset-serve-0".
std::string name_of_group(std::string_view kind, std::string_view workload, std::string_view part = {}) {
  return fmt::format("{}-{}{}{}", kube::lower_case(kind), workload, part.empty() ? "" : "-", part);
}

std::int32_t pods_in(const PodSets& sets) {
  std::int64_t pods = 0;
  for (const PodSet& set : sets) pods = saturated_sum(pods, std::max<std::int64_t>(set.count, 0));
  return as_field(pods);
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

/// Whether all of it is one group: what is created later has its room from the beginning. Not where one waits for
/// another to complete, and so for room that this one gives back.
bool is_one_group(const kube::JobSet& set) {
  if (!starts_by_turns(set)) return true;
  return holds_room(set.metadata) && std::ranges::none_of(set.replicated_jobs, [](const kube::ReplicatedJob& job) {
           return std::ranges::any_of(job.depends_on, [](const auto& each) { return each.status == "Complete"; });
         });
}

/// Of a replicated job whose Jobs have domains to themselves: the pods of each that follow its first one.
std::optional<WrittenPart> followers(const kube::JobSet& set, const kube::ReplicatedJob& job, const PodSet& pods) {
  const JobOfSet first{set, job, 0};
  if (first.exclusive_topology().empty() || first.selects_labelled_nodes() || job.replicas < 1) return std::nullopt;
  const std::int32_t of_a_job = as_field(pods.count / job.replicas);
  if (of_a_job < 2) return std::nullopt;
  return WrittenPart{
      "followers of " + job.name,
      of_a_job - 1,
      {{std::string(kube::kReplicatedJobName), job.name, false}, {std::string(kube::kJobCompletionIndex), "0", true}},
      std::string(kube::kJobSetJobIndex),
      job.replicas};
}

/// The replicated jobs before whose Jobs are ready, or complete, this one has none.
std::vector<std::string> before(const kube::JobSet& set, std::size_t place) {
  std::vector<std::string> names;
  if (set.starts_in_order && place > 0) names.push_back(set.replicated_jobs[place - 1].name);
  for (const kube::ReplicatedJobDependency& each : set.replicated_jobs[place].depends_on) names.push_back(each.name);
  return names;
}

/// Of a JobSet that is one group: the pods of a replicated job that waits for another, but for those that follow the
/// first ones of its Jobs.
std::optional<WrittenPart> comes_later(const kube::JobSet& set, const PodSets& pods, std::size_t place) {
  const auto has_pods = [&](std::size_t other) { return pods[other].count > 0; };
  const kube::ReplicatedJob& job = set.replicated_jobs[place];
  bool waits = false;
  for (std::size_t other = 0; other < place; ++other) {
    const bool is_named = std::ranges::find(job.depends_on, set.replicated_jobs[other].name,
                                            &kube::ReplicatedJobDependency::name) != job.depends_on.end();
    waits |= (set.starts_in_order || is_named) && has_pods(other);
  }
  if (!waits || !has_pods(place)) return std::nullopt;
  WrittenPart part{job.name, as_field(pods[place].count), {{std::string(kube::kReplicatedJobName), job.name, false}}};
  if (followers(set, job, pods[place])) {
    part.pods = job.replicas;
    part.labels.push_back({std::string(kube::kJobCompletionIndex), "0", false});
  }
  return part;
}

}  // namespace

std::vector<WholePart> whole_parts(const kube::JobSet& set) {
  const PodSets pods = pod_sets(set);
  const bool is_apart = !is_one_group(set);
  std::vector<WholePart> parts;
  for (std::size_t i = 0; i < set.replicated_jobs.size(); ++i) {
    const kube::ReplicatedJob& job = set.replicated_jobs[i];
    if (is_apart || parts.empty()) {
      parts.push_back({name_of_group("JobSet", set.metadata.name, is_apart ? job.name : std::string()), 0, {}});
    }
    parts.back().min_count = as_field(std::int64_t{parts.back().min_count} + as_field(pods[i].count));
    if (!is_apart) {
      if (std::optional<WrittenPart> later = comes_later(set, pods, i)) parts.back().later.push_back(*std::move(later));
    }
    if (std::optional<WrittenPart> later = followers(set, job, pods[i]))
      parts.back().later.push_back(*std::move(later));
    if (!is_apart) continue;
    for (const std::string& name : before(set, i)) {
      parts.back().starts_after.push_back(name_of_group("JobSet", set.metadata.name, name));
    }
  }
  return with_members(std::move(parts));
}

std::optional<WholePart> whole_part_of(const kube::JobSet& set, const kube::ObjectMeta& pod) {
  const auto job = pod.labels.find(kube::kReplicatedJobName);
  if (job == pod.labels.end()) return std::nullopt;
  return find_part(whole_parts(set),
                   name_of_group("JobSet", set.metadata.name, is_one_group(set) ? std::string() : job->second));
}

// ---- LeaderWorkerSets -----------------------------------------------------------------------------------------------

namespace {

WholePart part_of_group(const kube::LeaderWorkerSet& set, std::string_view group) {
  WholePart part{name_of_group("LeaderWorkerSet", set.metadata.name, group), set.size, {}};
  const bool leader_goes_first = set.waits_for_leader || !exclusive_topology(set).empty();
  if (leader_goes_first && set.size > 1) {
    part.later.push_back({"workers", set.size - 1, {{std::string(kube::kLwsWorkerIndex), "0", true}}});
  }
  return part;
}

}  // namespace

std::vector<WholePart> whole_parts(const kube::LeaderWorkerSet& set, std::int64_t most) {
  std::vector<WholePart> parts;
  for (std::int64_t group = 0; group < std::min<std::int64_t>(set.replicas, most); ++group) {
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

/// A launcher may wait for its workers. Source: mpi-operator v0.7.0, launcherCreationPolicy.
bool comes_later(const TrainingView& job, const TrainingRole& role) {
  return role.label() == "launcher" && job.spec.launcher_creation_policy == "WaitForWorkersReady";
}

}  // namespace

/// A minimum that its author wrote is no more than the pods that there are to be: who scales the job down means that.
std::vector<WholePart> whole_parts(const TrainingView& job) {
  WholePart part{name_of_group(rules_of(job.framework).kind, job.metadata.name), 0, {}};
  bool launcher_comes_later = false;
  std::int64_t all = 0;
  for (const TrainingRole& role : roles_of(job)) {
    launcher_comes_later |= comes_later(job, role);
    all += role.count();
    part.min_count = as_field(std::int64_t{part.min_count} + as_field(least_of_role(job, role)));
  }
  const std::int32_t workers = part.min_count - 1;
  if (const auto& policy = job.spec.run_policy.scheduling_policy; policy) {
    if (policy->min_available) {
      part.min_count = static_cast<std::int32_t>(std::min<std::int64_t>(*policy->min_available, all));
    }
    part.priority_class = policy->priority_class;
  }
  // A minimum that the workers reach by themselves asks for no launcher.
  if (launcher_comes_later && part.min_count > workers && workers > 0) {
    part.later.push_back(
        {"launcher", part.min_count - workers, {{std::string(kube::kTrainingJobRole), "launcher", false}}});
  }
  return with_members({std::move(part)});
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
      pods = as_field(std::int64_t{pods} + as_field(least_workers(group)));
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

bool holds_room(const kube::ObjectMeta& workload) {
  const auto mark = workload.annotations.find(kHoldsRoom);
  return mark != workload.annotations.end() && mark->second == "true";
}

bool is_for_kai(const PodSets& sets) {
  return std::ranges::any_of(sets, [](const PodSet& set) {
    const kube::PodSpec* spec = set.pod_template->spec.get();
    return spec != nullptr && spec->scheduler_name == "kai-scheduler";
  });
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
  cluster::spellings::note_order_of_creation(part.later, part.starts_after, group.metadata);
  return group;
}

std::optional<kube::PodGroup> revised(const kube::PodGroup& group, const WholePart& part) {
  if (group.policy.is_basic) return std::nullopt;
  kube::PodGroup now = group;
  now.policy.min_count = part.min_count;
  cluster::spellings::note_order_of_creation(part.later, part.starts_after, now.metadata);
  const bool has_another_minimum = now.policy.min_count != group.policy.min_count;
  if (!has_another_minimum && now.metadata.annotations == group.metadata.annotations) return std::nullopt;
  if (!has_another_minimum) return now;
  now.metadata.generation = std::max<std::int64_t>(now.metadata.generation, 1) + 1;
  for (kube::MetaCondition& condition : now.conditions) {
    condition.observed_generation = std::max<std::int64_t>(condition.observed_generation, 1);
  }
  return now;
}

}  // namespace loadline::workloads

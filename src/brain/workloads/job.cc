#include "brain/workloads/job.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string>

#include "brain/workloads/controller.h"
#include "brain/workloads/job_gang.h"
#include "brain/workloads/names.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

/// `<job>-<index>-`, the job's name cut so that five characters still fit.
std::string indexed_base(const std::string& job, const std::string& index) {
  const std::string suffix = '-' + index + '-';
  if (job.size() + suffix.size() <= kMaxGeneratedNameBase) return job + suffix;
  return job.substr(0, kMaxGeneratedNameBase - suffix.size()) + suffix;
}

}  // namespace

const kube::JobCondition* finished_condition(const kube::Job& job) {
  for (const kube::JobCondition& condition : job.status.conditions) {
    const bool is_end = condition.type == "Complete" || condition.type == "Failed";
    if (is_end && condition.status == "True") return &condition;
  }
  return nullptr;
}

std::int64_t pods_at_once(const kube::JobSpec& spec) {
  const std::int64_t parallelism = spec.parallelism.value_or(1);
  return spec.completions ? std::min<std::int64_t>(parallelism, *spec.completions) : parallelism;
}

std::int64_t wanted_pods(const kube::JobSpec& spec, const JobProgress& progress) {
  const std::int64_t parallelism = spec.parallelism.value_or(1);
  if (spec.suspend) return 0;
  if (spec.completions) {
    return std::min(std::max<std::int64_t>(*spec.completions - progress.succeeded, 0), parallelism);
  }
  return progress.succeeded > 0 ? progress.active : parallelism;
}

std::int64_t missing_pods(const kube::JobSpec& spec, const JobProgress& progress) {
  const std::int64_t missing = wanted_pods(spec, progress) - progress.active;
  return missing <= 0 ? missing : std::max<std::int64_t>(missing - progress.terminating, 0);
}

std::vector<std::int64_t> missing_indexes(const kube::JobSpec& spec, const IndexIntervals& settled,
                                          std::int64_t count) {
  return settled.first_missing(count, spec.completions.value_or(0));
}

PodDraft shared_draft(const kube::Job& job) {
  PodDraft draft = replica_draft(job.metadata.name);
  draft.finalizers = {kube::kJobTracking};
  if (job.spec.indexed) {
    const std::string path = "metadata.labels['" + std::string(kube::kJobCompletionIndex) + "']";
    draft.variables = {{"JOB_COMPLETION_INDEX", path}};
  }
  return draft;
}

PodDraft indexed_draft(const kube::Job& job, std::int64_t index) {
  const std::string text = std::to_string(index);
  PodDraft draft;
  draft.generate_name = indexed_base(job.metadata.name, text);
  draft.labels = {{kube::kJobCompletionIndex, text}};
  draft.annotations = {{kube::kJobCompletionIndex, text}};
  draft.hostname = job.metadata.name + '-' + text;
  return draft;
}

std::optional<std::int64_t> completion_index(const kube::ObjectMeta& pod) {
  const auto found = pod.annotations.find(kube::kJobCompletionIndex);
  if (found == pod.annotations.end()) return std::nullopt;
  const std::string& text = found->second;
  std::int64_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || index < 0) return std::nullopt;
  return index;
}

// ---- in a plan -----------------------------------------------------------------------------------------------------

namespace {

struct JobState {
  JobProgress progress;
  IndexIntervals settled;  // of an indexed Job
};

/// The Job's own count of successes may lag behind its pods, and pods may have been deleted since: the larger counts.
JobState state_of(const kube::Job& job, const std::vector<const kube::Pod*>& pods) {
  JobState state;
  std::int64_t succeeded = 0;
  std::set<std::int64_t> succeeded_indexes;
  std::set<std::int64_t> active_indexes;
  for (const kube::Pod* const pod : pods) {
    const std::optional<std::int64_t> index = completion_index(pod->metadata);
    if (pod->status.phase == kube::PodPhase::kSucceeded) {
      ++succeeded;
      if (index) succeeded_indexes.insert(*index);
    } else if (is_active(*pod)) {
      ++state.progress.active;
      if (index) active_indexes.insert(*index);
    }
  }
  if (job.spec.indexed) {
    const std::int64_t completions = job.spec.completions.value_or(0);
    const IndexIntervals completed =
        IndexIntervals::parse(job.status.completed_indexes, completions).merged(IndexIntervals(succeeded_indexes));
    const auto failed = IndexIntervals::parse(job.status.failed_indexes.value_or(""), completions);
    succeeded = completed.total();
    state.settled = completed.merged(failed).merged(IndexIntervals(active_indexes));
  }
  state.progress.succeeded = std::max<std::int64_t>(job.status.succeeded, succeeded);
  return state;
}

/// As the API server labels the pods of a Job that it has not read before.
void label_as_server(kube::ObjectMeta& pod, const kube::Job& job, const std::string& uid) {
  for (const std::string_view name : {kube::kLegacyControllerUid, kube::kControllerUid}) {
    pod.labels.try_emplace(std::string(name), uid);
  }
  for (const std::string_view name : {kube::kLegacyJobName, kube::kJobName}) {
    pod.labels.try_emplace(std::string(name), job.metadata.name);
  }
}

/// The PodGroup of the Job's pods; what is missing of it is made. Empty: they have none.
std::string joined_group(const kube::Job& job, const std::string& uid, bool has_pods, const GangIndex& index,
                         kube::Objects& made) {
  const JobGang gang = gang_of(job, has_pods, index);
  switch (gang.next) {
    case JobGang::Next::kNothing:
      return "";
    case JobGang::Next::kJoinGroup:
      return gang.group->metadata.name;
    case JobGang::Next::kMakeGroup:
      return made.of<kube::PodGroup>().emplace_back(group_of(job, uid, *gang.workload)).metadata.name;
    case JobGang::Next::kMakeWorkload:
      break;
  }
  const kube::Workload& workload = made.of<kube::Workload>().emplace_back(workload_of(job, uid));
  return made.of<kube::PodGroup>().emplace_back(group_of(job, uid, workload)).metadata.name;
}

}  // namespace

std::int64_t missing_pods(const kube::Job& job, const std::vector<const kube::Pod*>& pods) {
  return finished_condition(job) != nullptr ? 0 : missing_pods(job.spec, state_of(job, pods).progress);
}

/// Pods that are being deleted do not count: a plan does not wait until they are gone.
void expand_job(const kube::Job& job, const WorkloadReference& workload, const View& view, Expansion& expansion) {
  if (finished_condition(job) != nullptr) return;
  if (job.spec.suspend) {
    expansion.notes.push_back({workload, "is suspended"});
    return;
  }
  const auto existing = view.existing.controlled_by("Job", job.metadata);
  const JobState state = state_of(job, existing);
  const std::int64_t count = missing_pods(job.spec, state.progress);
  if (count <= 0) return;
  PodMaker maker(view, workload, "batch/v1", "Job", job.metadata, job.spec.template_, existing);
  label_as_server(maker.prototype().metadata, job, maker.controller_uid());
  PodDraft shared = shared_draft(job);
  if (view.gangs != nullptr) {
    shared.pod_group = joined_group(job, maker.controller_uid(), !existing.empty(), *view.gangs, expansion.made);
  }
  maker.share(shared);
  if (!job.spec.indexed) return create_replicas(maker, count, expansion);
  for (const std::int64_t index : missing_indexes(job.spec, state.settled, count)) {
    expansion.pods.push_back(maker.make(indexed_draft(job, index)));
  }
}

void expand(const kube::Job& job, const View& view, Expansion& expansion) {
  expand_job(job, view.owners.top_of({"Job", job.metadata.namespace_, job.metadata.name}), view, expansion);
}

}  // namespace loadline::workloads

#include <algorithm>
#include <charconv>
#include <set>

#include "brain/workloads/completed_indexes.h"
#include "brain/workloads/controller.h"

namespace loadline::workloads {
namespace {

constexpr std::string_view kCompletionIndex = "batch.kubernetes.io/job-completion-index";
constexpr std::string_view kTrackingFinalizer = "batch.kubernetes.io/job-tracking";
constexpr std::size_t kMaxGeneratedNameBase = 58;

/// Where a Job stands: what runs and what is done.
struct Progress {
  std::int64_t active = 0;
  std::int64_t succeeded = 0;
  std::set<std::int64_t> settled_indexes;  // of an indexed Job: active or succeeded
};

std::optional<std::int64_t> completion_index(const kube::Pod& pod) {
  const auto found = pod.metadata.annotations.find(kCompletionIndex);
  if (found == pod.metadata.annotations.end()) return std::nullopt;
  const std::string& text = found->second;
  std::int64_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return index;
}

/// The Job's own count of successes may lag behind its pods, and pods may have been deleted since: the larger counts.
Progress progress_of(const kube::Job& job, const std::vector<const kube::Pod*>& pods) {
  Progress progress;
  std::int64_t succeeded_pods = 0;
  std::set<std::int64_t> succeeded_indexes;
  if (job.spec.indexed) {
    succeeded_indexes = parse_completed_indexes(job.status.completed_indexes, job.spec.completions.value_or(0));
  }
  for (const kube::Pod* const pod : pods) {
    const bool succeeded = pod->status.phase == kube::PodPhase::kSucceeded;
    const std::optional<std::int64_t> index = completion_index(*pod);
    if (succeeded) ++succeeded_pods;
    if (is_active(*pod)) ++progress.active;
    if (succeeded && index) succeeded_indexes.insert(*index);
    if (is_active(*pod) && index) progress.settled_indexes.insert(*index);
  }
  progress.succeeded = std::max<std::int64_t>(job.status.succeeded, succeeded_pods);
  if (job.spec.indexed) {
    progress.succeeded =
        std::max<std::int64_t>(job.status.succeeded, static_cast<std::int64_t>(succeeded_indexes.size()));
    progress.settled_indexes.merge(succeeded_indexes);
  }
  return progress;
}

std::int64_t missing(const kube::JobSpec& spec, const Progress& progress) {
  const std::int64_t parallelism = spec.parallelism.value_or(1);
  if (!spec.completions) return progress.succeeded > 0 ? 0 : parallelism - progress.active;
  const std::int64_t remaining = *spec.completions - progress.succeeded;
  return std::min(remaining, parallelism) - progress.active;
}

bool ended(const kube::Job& job) {
  const auto& conditions = job.status.conditions;
  return std::any_of(conditions.begin(), conditions.end(), [](const kube::JobCondition& condition) {
    return (condition.type == "Complete" || condition.type == "Failed") && condition.status == "True";
  });
}

/// `<job>-<index>-`, the job's name cut so that five characters still fit.
std::string indexed_base(const std::string& job, const std::string& index) {
  const std::string suffix = "-" + index + "-";
  if (job.size() + suffix.size() <= kMaxGeneratedNameBase) return job + suffix;
  return job.substr(0, kMaxGeneratedNameBase - suffix.size()) + suffix;
}

void prepare(PodMaker& maker, const kube::Job& job) {
  kube::ObjectMeta& metadata = maker.prototype().metadata;
  for (const std::string_view key : {"controller-uid", "batch.kubernetes.io/controller-uid"}) {
    metadata.labels.try_emplace(std::string(key), maker.controller_uid());
  }
  for (const std::string_view key : {"job-name", "batch.kubernetes.io/job-name"}) {
    metadata.labels.try_emplace(std::string(key), job.metadata.name);
  }
  if (std::find(metadata.finalizers.begin(), metadata.finalizers.end(), kTrackingFinalizer) ==
      metadata.finalizers.end()) {
    metadata.finalizers.emplace_back(kTrackingFinalizer);
  }
}

void create_indexed(PodMaker& maker, const kube::Job& job, const Progress& progress, std::int64_t count,
                    Expansion& expansion) {
  const std::int64_t completions = job.spec.completions.value_or(0);
  for (std::int64_t index = 0; index < completions && count > 0; ++index) {
    if (progress.settled_indexes.contains(index)) continue;
    const std::string text = std::to_string(index);
    CreatedPod created = maker.generated(indexed_base(job.metadata.name, text));
    created.pod.metadata.labels.insert_or_assign(std::string(kCompletionIndex), text);
    created.pod.metadata.annotations.insert_or_assign(std::string(kCompletionIndex), text);
    expansion.pods.push_back(std::move(created));
    --count;
  }
}

}  // namespace

std::int64_t missing_pods(const kube::Job& job, const std::vector<const kube::Pod*>& pods) {
  if (ended(job)) return 0;
  const Progress progress = progress_of(job, pods);
  return job.spec.suspend ? -progress.active : missing(job.spec, progress);
}

/// As the Job controller's manageJob does with podReplacementPolicy TerminatingOrFailed: pods that are being deleted do
/// not count.
void expand_job(const kube::Job& job, const WorkloadReference& workload, const View& view, Expansion& expansion) {
  if (ended(job)) return;
  if (job.spec.suspend) {
    expansion.notes.push_back({workload, "is suspended"});
    return;
  }
  const auto existing = view.existing.controlled_by("Job", job.metadata);
  const Progress progress = progress_of(job, existing);
  const std::int64_t count = missing(job.spec, progress);
  if (count <= 0) return;
  PodMaker maker(view, workload, "batch/v1", "Job", job.metadata, job.spec.template_, existing);
  prepare(maker, job);
  if (job.spec.indexed) {
    create_indexed(maker, job, progress, count, expansion);
  } else {
    create_replicas(maker, job.metadata.name, count, expansion);
  }
}

void expand(const kube::Job& job, const View& view, Expansion& expansion) {
  WorkloadReference workload{"Job", job.metadata.namespace_, job.metadata.name};
  if (const auto* const controller = job.metadata.controller()) {
    workload = {controller->kind, job.metadata.namespace_, controller->name};
  }
  expand_job(job, workload, view, expansion);
}

}  // namespace loadline::workloads

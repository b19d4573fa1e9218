#include "brain/queue/kueue/jobs/job_workload.h"

#include <initializer_list>
#include <utility>

#include "foundation/base/digest.h"
#include "objects/kube/expected_run.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/scalars.h"

namespace loadline::queue::kueue {
namespace {

std::string lines_of(std::initializer_list<std::string_view> lines) {
  std::string text;
  for (const std::string_view line : lines) text += (text.empty() ? "" : "\n") + std::string(line);
  return text;
}

}  // namespace

std::string workload_name(std::string_view kind, std::string_view api_version, std::string_view name,
                          std::string_view uid) {
  constexpr std::size_t kDigits = 5;
  constexpr std::size_t kMostName = 253;
  const std::size_t slash = api_version.find('/');
  const std::string_view group = slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  const std::string digest = sha1_hex(lines_of({kind, group, name, uid}));
  const std::string prefix = kube::lower_case(kind) + '-' + std::string(name);
  return prefix.substr(0, kMostName - 1 - kDigits) + '-' + digest.substr(0, kDigits);
}

std::string_view queue_name_of(const kube::ObjectMeta& job) {
  const auto found = job.labels.find(kube::kQueueName);
  return found == job.labels.end() ? std::string_view() : found->second;
}

std::optional<WorkloadPriority> priority_of(const kube::ObjectMeta& job, std::string own_class,
                                            std::span<const kube::PodSet> pod_sets, const WorkloadPriorities& classes,
                                            std::string& missing) {
  const auto label = job.labels.find(kube::kWorkloadPriorityClassLabel);
  if (label != job.labels.end() && !label->second.empty()) {
    const std::optional<std::int32_t> value = classes.of_workloads(label->second);
    missing = label->second;
    if (!value) return std::nullopt;
    return WorkloadPriority{label->second, kube::PriorityClassSource::kWorkloadPriorityClass, *value};
  }
  for (const kube::PodSet& set : pod_sets) {
    if (own_class.empty()) own_class = set.template_.spec->priority_class_name;
  }
  const std::optional<std::int32_t> value = classes.of_pods(own_class);
  missing = own_class;
  if (!value) return std::nullopt;
  const kube::PriorityClassSource source =
      own_class.empty() ? kube::PriorityClassSource::kNone : kube::PriorityClassSource::kPodPriorityClass;
  return WorkloadPriority{std::move(own_class), source, *value};
}

kube::KueueWorkload workload_of(std::string_view kind, std::string_view api_version, const kube::ObjectMeta& job,
                                std::vector<kube::PodSet> pod_sets) {
  kube::KueueWorkload workload;
  workload.metadata.name = workload_name(kind, api_version, job.name, job.uid);
  workload.metadata.namespace_ = job.namespace_;
  workload.metadata.source = job.source;
  workload.metadata.finalizers.emplace_back(kube::kResourceInUse);
  if (kube::label_value_problems(job.uid).empty()) workload.metadata.labels[std::string(kube::kJobUid)] = job.uid;
  const auto gates = job.annotations.find(kube::kAdmissionGatedByAnnotation);
  if (gates != job.annotations.end()) workload.metadata.annotations.insert(*gates);
  workload.metadata.owner_references.push_back({std::string(api_version), std::string(kind), job.name, job.uid, true});
  workload.queue_name = queue_name_of(job);
  workload.pod_sets = std::move(pod_sets);
  const auto most = job.labels.find(kube::kMaxExecTimeLabel);
  if (most == job.labels.end()) return workload;
  if (const std::optional<Duration> span = kube::max_exec_time(most->second)) {
    workload.maximum_execution_time_seconds =
        static_cast<std::int32_t>(span->nanoseconds / Duration::seconds(1).nanoseconds);
  }
  return workload;
}

}  // namespace loadline::queue::kueue

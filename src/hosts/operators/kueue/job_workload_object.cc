#include "hosts/operators/kueue/job_workload_object.h"

#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/controllers/ownership.h"
#include "objects/kube/expected_run.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/workload_priority_class.h"
#include "objects/kube/scalars.h"
#include "objects/kube/scheduling/priority_class.h"

namespace loadline::operators::kueue {
namespace {

using document::Array;
using document::Object;
using document::Value;
using queue::kueue::WorkloadPriority;

constexpr std::string_view kProvisioningPrefix = "provreq.kueue.x-k8s.io/";

class CachedPriorities final : public queue::kueue::WorkloadPriorities {
 public:
  explicit CachedPriorities(const watching::Caches& caches) : caches_(caches) {}

  [[nodiscard]] std::optional<std::int32_t> of_workloads(std::string_view class_name) const override {
    const auto found = caches_.of<kube::WorkloadPriorityClass>().find("", class_name);
    return found == nullptr ? std::nullopt : std::optional(found->view.value);
  }

  [[nodiscard]] std::optional<std::int32_t> of_pods(std::string& class_name) const override {
    if (!class_name.empty()) {
      const auto found = caches_.of<kube::PriorityClass>().find("", class_name);
      return found == nullptr ? std::nullopt : std::optional(found->view.value);
    }
    // Of several global defaults the lowest counts.
    const kube::PriorityClass* lowest = nullptr;
    for (const auto& [name, each] : caches_.of<kube::PriorityClass>().in("")) {
      if (each->view.global_default && (lowest == nullptr || each->view.value < lowest->value)) lowest = &each->view;
    }
    if (lowest == nullptr) return 0;
    class_name = lowest->metadata.name;
    return lowest->value;
  }

 private:
  const watching::Caches& caches_;
};

Value map_of(const kube::StringMap& map) {
  Object members;
  for (const auto& [key, value] : map) members.push_back({key, Value(value), {}});
  return Value(std::move(members));
}

Value owner_reference(const HeldJob& job) {
  return Value(Object{{"apiVersion", Value(job.api_version()), {}},
                      {"kind", Value(job.kind().kind), {}},
                      {"name", Value(job.metadata().name), {}},
                      {"uid", Value(job.metadata().uid), {}},
                      {"controller", Value(true), {}},
                      {"blockOwnerDeletion", Value(true), {}}});
}

Value reference_to_class(const WorkloadPriority& priority) {
  const bool is_of_workloads = priority.source == kube::PriorityClassSource::kWorkloadPriorityClass;
  return Value(Object{{"group", Value(is_of_workloads ? "kueue.x-k8s.io" : "scheduling.k8s.io"), {}},
                      {"kind", Value(is_of_workloads ? "WorkloadPriorityClass" : "PriorityClass"), {}},
                      {"name", Value(priority.class_name), {}}});
}

Value metadata_of(const kube::KueueWorkload& workload, const HeldJob& job,
                  const kube::KueueConfiguration& configuration) {
  kube::StringMap labels = workload.metadata.labels;
  for (const std::string& key : configuration.label_keys_to_copy) {
    const auto found = job.metadata().labels.find(key);
    if (found != job.metadata().labels.end()) labels.insert_or_assign(key, found->second);
  }
  kube::StringMap annotations = workload.metadata.annotations;
  for (const auto& [key, value] : job.metadata().annotations) {
    if (key.starts_with(kProvisioningPrefix)) annotations.insert_or_assign(key, value);
  }
  Value made(Object{{"name", Value(workload.metadata.name), {}},
                    {"namespace", Value(workload.metadata.namespace_), {}},
                    {"finalizers", Value(Array{Value(kube::kResourceInUse)}), {}},
                    {"ownerReferences", Value(Array{owner_reference(job)}), {}}});
  if (!labels.empty()) made = std::move(made).with("labels", map_of(labels));
  if (!annotations.empty()) made = std::move(made).with("annotations", map_of(annotations));
  return made;
}

}  // namespace

std::optional<WorkloadPriority> priority_of(const HeldJob& job, const queue::kueue::JobPodSets& sets,
                                            const watching::Caches& caches) {
  std::string missing;
  return queue::kueue::priority_of(job.metadata(), job.priority_class(), sets, CachedPriorities(caches), missing);
}

Value workload_document(const HeldJob& job, const queue::kueue::JobPodSets& sets, const PodSetDocuments& documents,
                        const WorkloadPriority& priority, const kube::KueueConfiguration& configuration) {
  const kube::KueueWorkload workload =
      queue::kueue::workload_of(job.kind().kind, job.api_version(), job.metadata(), sets);
  const watching::KindName& kind = watching::kind_name<kube::KueueWorkload>();
  Value made(Object{{"apiVersion", Value(kind.api_version()), {}},
                    {"kind", Value(kind.kind), {}},
                    {"metadata", metadata_of(workload, job, configuration), {}},
                    {"spec", Value(Object{{"podSets", array_of(documents), {}}}), {}}});
  made = with_queue(std::move(made), workload.queue_name);
  if (workload.maximum_execution_time_seconds) {
    made = document::with_at(std::move(made), {"spec", "maximumExecutionTimeSeconds"},
                             Value(std::int64_t{*workload.maximum_execution_time_seconds}));
  }
  return with_priority(std::move(made), priority);
}

Value with_priority(Value workload, const WorkloadPriority& priority) {
  workload = document::with_at(std::move(workload), {"spec", "priority"}, Value(std::int64_t{priority.value}));
  if (priority.source == kube::PriorityClassSource::kNone) {
    return document::without_at(std::move(workload), {"spec", "priorityClassRef"});
  }
  return document::with_at(std::move(workload), {"spec", "priorityClassRef"}, reference_to_class(priority));
}

Value with_queue(Value workload, std::string_view queue) {
  if (queue.empty()) return document::without_at(std::move(workload), {"spec", "queueName"});
  return document::with_at(std::move(workload), {"spec", "queueName"}, Value(queue));
}

Value owned_by(Value workload, const HeldJob& job) {
  Array owners = document::items_at(workload, {"metadata", "ownerReferences"});
  owners.push_back(owner_reference(job));
  workload = document::with_at(std::move(workload), {"metadata", "ownerReferences"}, Value(std::move(owners)));
  if (!kube::label_value_problems(job.metadata().uid).empty()) return workload;
  return document::with_at(std::move(workload), {"metadata", "labels", kube::kJobUid}, Value(job.metadata().uid));
}

std::optional<std::int32_t> most_seconds_of(const kube::ObjectMeta& job) {
  const auto label = job.labels.find(kube::kMaxExecTimeLabel);
  if (label == job.labels.end()) return std::nullopt;
  const std::optional<Duration> span = kube::max_exec_time(label->second);
  if (!span) return std::nullopt;
  return static_cast<std::int32_t>(span->nanoseconds / 1'000'000'000);
}

bool is_permanent(const Error& error) {
  return error.message.find(kInvalidInfo) != std::string::npos ||
         error.message.find("invalid admission check PodSetUpdate") != std::string::npos;
}

}  // namespace loadline::operators::kueue

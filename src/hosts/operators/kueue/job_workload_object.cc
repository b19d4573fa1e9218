#include "hosts/operators/kueue/job_workload_object.h"

#include <algorithm>
#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/operators/kueue/pod_group.h"
#include "objects/kube/expected_run.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/workload_conditions.h"
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

/// What a Workload has of the job, or of the object that owns it.
struct CopiedNames {
  kube::StringMap labels;
  kube::StringMap annotations;
};
CopiedNames copied_of(const kube::KueueWorkload& workload, const kube::ObjectMeta& job,
                      const kube::KueueConfiguration& configuration) {
  CopiedNames copied{workload.metadata.labels, workload.metadata.annotations};
  for (const std::string& key : configuration.label_keys_to_copy) {
    const auto found = job.labels.find(key);
    if (found != job.labels.end()) copied.labels.insert_or_assign(key, found->second);
  }
  for (const auto& [key, value] : job.annotations) {
    if (key.starts_with(kProvisioningPrefix)) copied.annotations.insert_or_assign(key, value);
  }
  return copied;
}

Value metadata_with(std::string_view name, std::string_view name_space, const CopiedNames& copied, Array owners) {
  Value made(Object{{"name", Value(name), {}},
                    {"namespace", Value(name_space), {}},
                    {"finalizers", Value(Array{Value(kube::kResourceInUse)}), {}},
                    {"ownerReferences", Value(std::move(owners)), {}}});
  if (!copied.labels.empty()) made = std::move(made).with("labels", map_of(copied.labels));
  if (!copied.annotations.empty()) made = std::move(made).with("annotations", map_of(copied.annotations));
  return made;
}

Value metadata_of(const kube::KueueWorkload& workload, const HeldJob& job,
                  const kube::KueueConfiguration& configuration) {
  CopiedNames copied = copied_of(workload, job.metadata(), configuration);
  Array owners;
  if (job.group().empty()) {
    owners.push_back(owner_reference(job));
  } else {
    for (const kube::ObjectMeta* each : job.members()) owners.push_back(owner_reference_to(*each));
    copied.annotations.insert_or_assign(std::string(kIsGroupWorkload), "true");
    copied.labels.erase(kube::kJobUid);
  }
  const std::string_view name = job.group().empty() ? std::string_view(workload.metadata.name) : job.group();
  return metadata_with(name, workload.metadata.namespace_, copied, std::move(owners));
}

Value owner_reference_to_group_owner(const GroupOwner& owner) {
  return Value(Object{{"apiVersion", Value(owner.kind.api_version()), {}},
                      {"kind", Value(owner.kind.kind), {}},
                      {"name", Value(owner.metadata.name), {}},
                      {"uid", Value(owner.metadata.uid), {}}});
}

kube::StringMap annotations_of_group_owner(const GroupOwner& owner) {
  return {{std::string(kube::kJobOwnerGvk), owner.kind.api_version() + ", Kind=" + std::string(owner.kind.kind)},
          {std::string(kube::kJobOwnerName), owner.metadata.name}};
}

Value workload_with(Value metadata, const kube::KueueWorkload& workload, const PodSetDocuments& documents,
                    const WorkloadPriority& priority) {
  const watching::KindName& kind = watching::kind_name<kube::KueueWorkload>();
  Value made(Object{{"apiVersion", Value(kind.api_version()), {}},
                    {"kind", Value(kind.kind), {}},
                    {"metadata", std::move(metadata), {}},
                    {"spec", Value(Object{{"podSets", array_of(documents), {}}}), {}}});
  made = with_queue(std::move(made), workload.queue_name);
  if (workload.maximum_execution_time_seconds) {
    made = document::with_at(std::move(made), {"spec", "maximumExecutionTimeSeconds"},
                             Value(std::int64_t{*workload.maximum_execution_time_seconds}));
  }
  return with_priority(std::move(made), priority);
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
  return workload_with(metadata_of(workload, job, configuration), workload, documents, priority);
}

Value group_workload_document(const GroupOwner& owner, std::string_view name, const queue::kueue::JobPodSets& sets,
                              const PodSetDocuments& documents, const WorkloadPriority& priority,
                              const kube::KueueConfiguration& configuration) {
  const kube::KueueWorkload workload =
      queue::kueue::workload_of(owner.kind.kind, owner.kind.api_version(), owner.metadata, sets);
  CopiedNames copied = copied_of(workload, owner.metadata, configuration);
  copied.annotations.insert_or_assign(std::string(kIsGroupWorkload), "true");
  for (const auto& [key, value] : annotations_of_group_owner(owner)) copied.annotations.insert_or_assign(key, value);
  Value metadata = metadata_with(name, owner.metadata.namespace_, copied, Array{owner_reference_to_group_owner(owner)});
  return workload_with(std::move(metadata), workload, documents, priority);
}

std::optional<WorkloadPriority> priority_of(const GroupOwner& owner, const queue::kueue::JobPodSets& sets,
                                            const watching::Caches& caches) {
  std::string missing;
  return queue::kueue::priority_of(owner.metadata, {}, sets, CachedPriorities(caches), missing);
}

bool is_of_another_class(const kube::KueueWorkload& workload, const kube::ObjectMeta& job) {
  const bool has_none = workload.priority_class_source == kube::PriorityClassSource::kNone;
  if (kube::has_quota_reservation(workload) && has_none) return false;
  if (!has_none && workload.priority_class_source != kube::PriorityClassSource::kWorkloadPriorityClass) return false;
  const auto label = job.labels.find(kube::kWorkloadPriorityClassLabel);
  const std::string_view wanted = label == job.labels.end() ? std::string_view() : std::string_view(label->second);
  return (has_none ? std::string_view() : std::string_view(workload.priority_class_name)) != wanted;
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

Value with_group_owner(Value workload, const GroupOwner& owner) {
  Array owners = document::items_at(workload, {"metadata", "ownerReferences"});
  const bool is_known = std::ranges::any_of(
      owners, [&](const Value& each) { return document::text_at(each, {"uid"}) == owner.metadata.uid; });
  if (is_known) return workload;
  owners.push_back(owner_reference_to_group_owner(owner));
  workload = document::with_at(std::move(workload), {"metadata", "ownerReferences"}, Value(std::move(owners)));
  for (const auto& [key, value] : annotations_of_group_owner(owner)) {
    workload = document::with_at(std::move(workload), {"metadata", "annotations", key}, Value(value));
  }
  return workload;
}

Value owned_by(Value workload, const HeldJob& job) {
  Array owners = document::items_at(workload, {"metadata", "ownerReferences"});
  owners.push_back(owner_reference(job));
  workload = document::with_at(std::move(workload), {"metadata", "ownerReferences"}, Value(std::move(owners)));
  if (!kube::label_value_problems(job.metadata().uid).empty()) return workload;
  return document::with_at(std::move(workload), {"metadata", "labels", kube::kJobUid}, Value(job.metadata().uid));
}

Value owner_reference_to(const kube::ObjectMeta& pod) {
  return Value(Object{{"apiVersion", Value("v1"), {}},
                      {"kind", Value("Pod"), {}},
                      {"name", Value(pod.name), {}},
                      {"uid", Value(pod.uid), {}}});
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

#include "brain/workloads/queue.h"

#include <fmt/format.h>

#include <initializer_list>

#include "brain/cluster/spellings/kueue.h"
#include "brain/cluster/spellings/membership.h"
#include "brain/workloads/kind_names.h"
#include "brain/workloads/kinds.h"
#include "brain/workloads/pod_set.h"
#include "objects/kube/kai/pod_group.h"
#include "objects/kube/kueue/unread_job.h"
#include "objects/kube/volcano/pod_group.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

constexpr std::string_view kVolcano = "Volcano";
constexpr std::string_view kKai = "KAI";

std::optional<NamedQueue> named(std::string_view name, std::string_view project) {
  const bool is_everybodys = project == kVolcano && name == "default";
  if (name.empty() || is_everybodys) return std::nullopt;
  return NamedQueue{std::string(name), project};
}

std::string_view value_in(const kube::StringMap& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? std::string_view() : std::string_view(found->second);
}

/// That of the object, of the objects that it makes, or of their pods.
template <class Kind>
std::optional<NamedQueue> queue_of(const Kind& object) {
  if (std::optional<NamedQueue> queue = queue_in(object.metadata)) return queue;
  if constexpr (requires { object.job_metadata; }) {
    if (std::optional<NamedQueue> queue = queue_in(object.job_metadata)) return queue;
  }
  if constexpr (requires { std::string(object.queue); }) {
    if (std::optional<NamedQueue> queue = named(object.queue, kVolcano)) return queue;
  }
  for (const PodSet& set : pod_sets(object)) {
    if (std::optional<NamedQueue> queue = queue_in(set.pod_template->metadata)) return queue;
  }
  return std::nullopt;
}

}  // namespace

std::string NamedQueue::text() const { return fmt::format("its queue {} is {}'s", name, project); }

std::optional<NamedQueue> queue_in(const kube::ObjectMeta& metadata) {
  struct Spelling {
    std::string_view key;
    std::string_view project;
  };
  constexpr std::string_view kVolcanoAnnotation = "scheduling.volcano.sh/queue-name";
  constexpr Spelling kSpellings[] = {{cluster::spellings::kKueueQueueLabel, kKueueProject},
                                     {"kai.scheduler/queue", kKai},
                                     {kVolcanoAnnotation, kVolcano},
                                     {kube::kVolcanoQueueName, kVolcano}};
  for (const Spelling& each : kSpellings) {
    if (auto queue = named(value_in(metadata.labels, each.key), each.project)) return queue;
  }
  // Kueue read an annotation before it read the label, and still does of Jobs that have no label.
  if (auto queue = named(value_in(metadata.annotations, cluster::spellings::kKueueQueueLabel), kKueueProject))
    return queue;
  return named(value_in(metadata.annotations, kVolcanoAnnotation), kVolcano);
}

Queues::Queues(const kube::Objects& objects) {
  for_each_kind([&]<class Kind>() {
    for (const Kind& object : objects.of<Kind>()) {
      const kube::ObjectMeta& metadata = object.metadata;
      if (std::optional<NamedQueue> queue = queue_of(object)) {
        by_workload_.emplace(WorkloadReference{std::string(kind_name<Kind>()), metadata.namespace_, metadata.name},
                             *std::move(queue));
      }
    }
  });
  for (const kube::UnreadJob& job : objects.of<kube::UnreadJob>()) {
    by_workload_.emplace(WorkloadReference{job.kind, job.name_space, job.name}, NamedQueue{job.queue, kKueueProject});
  }
  const auto add_group = [&](cluster::GroupSpelling spelling, const kube::ObjectMeta& metadata,
                             const std::string& queue_name, std::string_view project) {
    if (auto queue = named(queue_name, project)) {
      by_group_.emplace(GroupKey{metadata.namespace_, {spelling, metadata.name}}, *std::move(queue));
    }
  };
  for (const auto& group : objects.of<kube::VolcanoPodGroup>()) {
    add_group(cluster::GroupSpelling::kVolcano, group.metadata, group.queue, kVolcano);
  }
  for (const auto& group : objects.of<kube::KaiPodGroup>()) {
    add_group(cluster::GroupSpelling::kKai, group.metadata, group.queue, kKai);
  }
}

std::optional<NamedQueue> Queues::of(const WorkloadReference& workload) const {
  const auto found = by_workload_.find(workload);
  return found == by_workload_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<NamedQueue> Queues::of(const kube::Pod& pod, const WorkloadReference& owner) const {
  if (std::optional<NamedQueue> queue = queue_in(pod.metadata)) return queue;
  if (by_workload_.empty() && by_group_.empty()) return std::nullopt;
  if (const std::optional<cluster::GroupName> group = cluster::spellings::group_of(pod)) {
    const auto found = by_group_.find({pod.metadata.namespace_, *group});
    if (found != by_group_.end()) return found->second;
  }
  if (const kube::OwnerReference* const controller = pod.metadata.controller()) {
    if (auto queue = of({std::string(kind_of(*controller)), pod.metadata.namespace_, controller->name})) return queue;
  }
  return of(owner);
}

}  // namespace loadline::workloads

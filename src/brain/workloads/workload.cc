#include "brain/workloads/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <type_traits>

#include "brain/workloads/kinds.h"
#include "brain/workloads/ray_job.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

/// The part of `name` before `-<suffix>`, or nothing.
std::string_view stem(std::string_view name, std::string_view suffix) {
  if (suffix.empty() || name.size() < suffix.size() + 2 || !name.ends_with(suffix)) return {};
  name.remove_suffix(suffix.size());
  if (!name.ends_with('-')) return {};
  return name.substr(0, name.size() - 1);
}

/// The trailing digits of `name`.
std::string_view trailing_number(std::string_view name) {
  const std::size_t last_other = name.find_last_not_of("0123456789");
  return last_other == std::string_view::npos ? name : name.substr(last_other + 1);
}

/// Calls `visit` with those of the Jobs that the set makes, by their names: `<set>-<replicated job>-<index>`. What it
/// would make besides may be more than memory holds.
template <class Visit>
void for_each_job_of(const kube::JobSet& set, const std::set<WorkloadReference>& jobs, Visit visit) {
  for (const kube::ReplicatedJob& replicated_job : set.replicated_jobs) {
    const std::string base = fmt::format("{}-{}-", set.metadata.name, replicated_job.name);
    auto job = jobs.lower_bound({"Job", set.metadata.namespace_, base});
    const auto is_near = [&] {
      return job != jobs.end() && job->kind == "Job" && job->namespace_ == set.metadata.namespace_ &&
             job->name.starts_with(base);
    };
    for (; is_near(); ++job) {
      const std::string_view number = std::string_view(job->name).substr(base.size());
      std::int64_t index = 0;
      const auto read = std::from_chars(number.data(), number.data() + number.size(), index);
      const bool is_index = read.ec == std::errc() && number == std::to_string(index);
      if (is_index && index < replicated_job.replicas) visit(*job);
    }
  }
}

/// The Jobs that pods name as their controllers.
std::set<WorkloadReference> jobs_of_pods(const kube::Objects& objects) {
  std::set<WorkloadReference> jobs;
  for (const kube::Pod& pod : objects.of<kube::Pod>()) {
    const kube::OwnerReference* const controller = pod.metadata.controller();
    if (controller == nullptr || kind_of(*controller) != "Job") continue;
    jobs.insert({"Job", pod.metadata.namespace_, controller->name});
  }
  return jobs;
}

/// Nothing is nested deeper; what refers to itself in a circle ends here.
constexpr int kMostLevels = 8;

}  // namespace

std::string WorkloadReference::to_string() const {
  return namespace_.empty() ? fmt::format("{} {}", kind, name) : fmt::format("{} {}/{}", kind, namespace_, name);
}

Owners::Owners(const kube::Objects& objects) {
  for_each_kind([&]<class Kind>() {
    for (const Kind& item : objects.of<Kind>()) {
      const kube::ObjectMeta& metadata = item.metadata;
      WorkloadReference self{std::string(kind_name<Kind>()), metadata.namespace_, metadata.name};
      if (const auto* const controller = metadata.controller()) {
        WorkloadReference above{std::string(kind_of(*controller)), metadata.namespace_, controller->name};
        parents_.emplace(self, std::move(above));
      }
      if constexpr (requires { adopt_children(item, self); }) adopt_children(item, self);
      known_.insert(std::move(self));
    }
  });
  if (!objects.of<kube::JobSet>().empty()) {
    const std::set<WorkloadReference> jobs = jobs_of_pods(objects);
    for (const kube::JobSet& set : objects.of<kube::JobSet>()) {
      const WorkloadReference self{"JobSet", set.metadata.namespace_, set.metadata.name};
      for_each_job_of(set, jobs, [&](const WorkloadReference& job) { parents_.emplace(job, self); });
    }
  }
  add_leading_pods(objects);
}

/// Pods that control something, as leaders of a LeaderWorkerSet control the StatefulSets of their workers.
void Owners::add_leading_pods(const kube::Objects& objects) {
  std::set<WorkloadReference> leading;
  for (const auto& [child, parent] : parents_) {
    if (parent.kind == "Pod") leading.insert(parent);
  }
  if (leading.empty()) return;
  for (const kube::Pod& pod : objects.of<kube::Pod>()) {
    const auto* const controller = pod.metadata.controller();
    WorkloadReference self{"Pod", pod.metadata.namespace_, pod.metadata.name};
    if (controller == nullptr || !leading.contains(self)) continue;
    WorkloadReference above{std::string(kind_of(*controller)), pod.metadata.namespace_, controller->name};
    parents_.emplace(std::move(self), std::move(above));
  }
}

/// What was read tells its owner itself; the others are told by their names.
void Owners::adopt_children(const kube::RayJob& job, const WorkloadReference& self) {
  if (!job.spec.cluster_selector.empty()) return;
  const std::string& cluster = job.status.cluster_name;
  if (!cluster.empty()) parents_.emplace(WorkloadReference{"RayCluster", self.namespace_, cluster}, self);
  if (has_submitter_job(job.spec)) parents_.emplace(WorkloadReference{"Job", self.namespace_, self.name}, self);
}

void Owners::adopt_children(const kube::JobSet& set, const WorkloadReference& self) {
  for_each_job_of(set, known_, [&](const WorkloadReference& job) { parents_.emplace(job, self); });
}

WorkloadReference Owners::top_of(const WorkloadReference& workload) const {
  const WorkloadReference* top = &workload;
  for (int level = 0; level < kMostLevels; ++level) {
    const auto parent = parents_.find(*top);
    if (parent == parents_.end()) break;
    // ReplicaSets and Jobs are made by others; what else has a controller that was not read is shown for itself.
    const bool is_always_made = top->kind == "ReplicaSet" || top->kind == "Job";
    if (!is_always_made && !known_.contains(parent->second) && !parents_.contains(parent->second)) break;
    top = &parent->second;
  }
  return *top;
}

WorkloadReference Owners::owner_of(const kube::Pod& pod) const {
  const kube::OwnerReference* const controller = pod.metadata.controller();
  if (controller == nullptr) return {"Pod", pod.metadata.namespace_, pod.metadata.name};
  return owner_of_controller({std::string(kind_of(*controller)), pod.metadata.namespace_, controller->name},
                             pod.metadata.labels);
}

WorkloadReference Owners::owner_of_controller(const WorkloadReference& controller,
                                              const kube::StringMap& pod_labels) const {
  if (known_.contains(controller) || parents_.contains(controller)) return top_of(controller);
  if (controller.kind == "ReplicaSet") {
    const auto hash = pod_labels.find(kube::kPodTemplateHash);
    const std::string_view name = hash == pod_labels.end() ? "" : stem(controller.name, hash->second);
    if (!name.empty()) return {"Deployment", controller.namespace_, std::string(name)};
  } else if (controller.kind == "Job") {
    const std::string_view name = stem(controller.name, trailing_number(controller.name));
    WorkloadReference cron_job{"CronJob", controller.namespace_, std::string(name)};
    if (known_.contains(cron_job)) return cron_job;
  } else if (controller.kind == "PodClique") {
    const auto set = pod_labels.find(kube::kPartOf);
    if (set == pod_labels.end()) return controller;
    WorkloadReference whole{"PodCliqueSet", controller.namespace_, set->second};
    if (known_.contains(whole)) return whole;
  }
  return top_of(controller);
}

WorkloadReference owner_of(const kube::Pod& pod, const kube::Objects& objects) { return Owners(objects).owner_of(pod); }

}  // namespace loadline::workloads
